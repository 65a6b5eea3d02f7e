// npm run storm -- --changes 100000 --kills 20: hammers the state under a runtime. Builds what it needs before.
import '../launch/node-version.mjs';

const { runTool } = await import('../launch/tool.mjs');

await runTool({
  builds: ['@cosi-ts/storm'],
  entry: 'tools/storm/dist/storm.js',
  failure: 'storm: the controllers did not do what they must',
});
