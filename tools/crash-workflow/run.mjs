// npm run crash:workflow -- --rounds 200: kills the workflow engine, and checks what its steps did. Builds what it needs
// before.
import '../launch/node-version.mjs';

const { join } = await import('node:path');
const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, StepFailed } = await import('../launch/step.mjs');
const { build, install, root } = await import('../launch/workspace.mjs');

await launch(async () => {
  stopOnSignals();
  await install();
  await build('@cosi-ts/workflow-engine');
  await build('@cosi-ts/crash-workflow');
  const { exitCode } = await run(
    process.execPath,
    ['--enable-source-maps', join(root, 'tools/crash-workflow/dist/crash-workflow.js'), ...process.argv.slice(2)],
    { cwd: root, show: true },
  );
  if (exitCode !== 0)
    throw new StepFailed('crash-workflow: steps did not have the effects that they must have', { exitCode });
});
process.exit(0);
