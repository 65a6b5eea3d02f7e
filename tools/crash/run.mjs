// npm run crash -- --rounds 300: kills writers of a durable store, and checks what is left. Builds what it needs before.
import '../launch/node-version.mjs';

const { join } = await import('node:path');
const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, StepFailed } = await import('../launch/step.mjs');
const { build, install, root } = await import('../launch/workspace.mjs');

await launch(async () => {
  stopOnSignals();
  await install();
  await build('@cosi-ts/crash');
  const { exitCode } = await run(
    process.execPath,
    [join(root, 'tools/crash/dist/crash.js'), ...process.argv.slice(2)],
    {
      cwd: root,
      show: true,
    },
  );
  if (exitCode !== 0) throw new StepFailed('crash: something was lost', { exitCode });
});
process.exit(0);
