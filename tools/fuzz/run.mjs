// npm run fuzz -- --minutes 10: attacks a server, and checks that it does well. Builds what it needs before.
import '../launch/node-version.mjs';

const { runTool } = await import('../launch/tool.mjs');

await runTool({
  builds: ['@cosi-ts/fuzz'],
  entry: 'tools/fuzz/dist/fuzz.js',
  failure: 'fuzz: the server did not do well',
});
