// npm run crash -- --rounds 300: kills writers of a durable store, and checks what is left. Builds what it needs before.
import '../launch/node-version.mjs';

const { runTool } = await import('../launch/tool.mjs');

await runTool({
  builds: ['@cosi-ts/crash'],
  entry: 'tools/crash/dist/crash.js',
  failure: 'crash: something was lost',
});
