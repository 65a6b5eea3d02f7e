// npm run bench -- durable: runs benchmarks and prints a table. Builds what it needs before.
import '../launch/node-version.mjs';

const { runTool } = await import('../launch/tool.mjs');

await runTool({
  builds: ['@cosi-ts/bench'],
  entry: 'tools/bench/dist/bench.js',
  failure: 'bench: failed',
});
