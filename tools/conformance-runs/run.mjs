// npm run conformance: the conformance suites against every state of this workspace, the runtime on them, and broken ones
// of both. It prints a line for each. CONFORMANCE_SEED repeats the random part of a run that failed. What follows `--` goes to vitest.
import '../launch/node-version.mjs';

const { join } = await import('node:path');
const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, say, StepFailed, seconds } = await import('../launch/step.mjs');
const { install, root } = await import('../launch/workspace.mjs');

await launch(async () => {
  stopOnSignals();
  await install();
  const begin = performance.now();
  say('run the conformance suite …');
  const { exitCode } = await run(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      'tools/conformance-runs',
      '--reporter=./tools/conformance-runs/src/table-reporter.ts',
      ...process.argv.slice(2),
    ],
    { cwd: root, show: true, env: { CONFORMANCE_WHOLE: '1' } },
  );
  const took = seconds(performance.now() - begin);
  if (exitCode !== 0) throw new StepFailed(`run the conformance suite: failed after ${took}`, { exitCode: 1 });
  say(`run the conformance suite: done in ${took}`);
});
process.exit(0);
