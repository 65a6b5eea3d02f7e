// npm run faults -- --faults 100: plays faults on watches and a runtime. Builds what it needs before.
import '../launch/node-version.mjs';

const { runTool } = await import('../launch/tool.mjs');

await runTool({
  builds: ['@cosi-ts/fault-runs'],
  entry: 'tools/fault-runs/dist/faults.js',
  failure: 'faults: something was lost',
});
