// npm test: installs, builds, and runs every test of the workspace once. What follows `--` goes to vitest.
import './node-version.mjs';

const { stopOnSignals, run } = await import('./child.mjs');
const { launch, say, StepFailed, seconds } = await import('./step.mjs');
const { build, install, root } = await import('./workspace.mjs');
const { missingTools } = await import('./optional-tools.mjs');
const { join } = await import('node:path');

await launch(async () => {
  stopOnSignals();
  await install();
  await build();

  const begin = performance.now();
  say('run the tests …');
  const { exitCode } = await run(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      '--outputFile.json=reports/vitest.json',
      ...process.argv.slice(2),
    ],
    { cwd: root, show: true },
  );
  const took = seconds(performance.now() - begin);
  for (const { name, commands, debian } of missingTools()) {
    say(`skipped: tests that need a ${name} (none of ${commands.join(', ')} found; Debian's package is ${debian})`);
  }
  if (exitCode !== 0)
    throw new StepFailed(`run the tests: failed after ${took} with exit code ${exitCode}`, { exitCode });
  say(`run the tests: done in ${took}; report in reports/vitest.json`);
});
process.exit(0);
