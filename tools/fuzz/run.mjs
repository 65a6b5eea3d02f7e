// npm run fuzz -- --minutes 10: attacks a server, and checks that it does well. Builds what it needs before.
import '../launch/node-version.mjs';

const { join } = await import('node:path');
const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, StepFailed } = await import('../launch/step.mjs');
const { build, install, root } = await import('../launch/workspace.mjs');

await launch(async () => {
  stopOnSignals();
  await install();
  await build('@cosi-ts/fuzz');
  const { exitCode } = await run(process.execPath, [join(root, 'tools/fuzz/dist/fuzz.js'), ...process.argv.slice(2)], {
    cwd: root,
    show: true,
  });
  if (exitCode !== 0) throw new StepFailed('fuzz: the server did not do well', { exitCode });
});
process.exit(0);
