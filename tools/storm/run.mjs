// npm run storm -- --changes 100000 --kills 20: hammers the state under a runtime. Builds what it needs before.
import '../launch/node-version.mjs';

const { join } = await import('node:path');
const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, StepFailed } = await import('../launch/step.mjs');
const { build, install, root } = await import('../launch/workspace.mjs');

await launch(async () => {
  stopOnSignals();
  await install();
  await build('@cosi-ts/storm');
  const { exitCode } = await run(
    process.execPath,
    ['--enable-source-maps', join(root, 'tools/storm/dist/storm.js'), ...process.argv.slice(2)],
    { cwd: root, show: true },
  );
  if (exitCode !== 0) throw new StepFailed('storm: the controllers did not do what they must', { exitCode });
});
process.exit(0);
