// npm run faults -- --faults 100: plays faults on watches and a runtime. Builds what it needs before.
import '../launch/node-version.mjs';

const { join } = await import('node:path');
const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, StepFailed } = await import('../launch/step.mjs');
const { build, install, root } = await import('../launch/workspace.mjs');

await launch(async () => {
  stopOnSignals();
  await install();
  await build('@cosi-ts/fault-runs');
  const { exitCode } = await run(
    process.execPath,
    [join(root, 'tools/fault-runs/dist/faults.js'), ...process.argv.slice(2)],
    {
      cwd: root,
      show: true,
    },
  );
  if (exitCode !== 0) throw new StepFailed('faults: something was lost', { exitCode });
});
process.exit(0);
