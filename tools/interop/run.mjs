// npm run interop: tries this project and the Go implementation on each other. Builds what it needs before.
import '../launch/node-version.mjs';

const { runTool } = await import('../launch/tool.mjs');

await runTool({
  builds: ['@cosi-ts/interop'],
  entry: 'tools/interop/dist/interop.js',
  failure: 'interop: failed',
});
