// Runs a tool of this repository: installs and builds what is missing, and gives the tool what was typed.
import { join } from 'node:path';
import { run, stopOnSignals } from './child.mjs';
import { launch, StepFailed } from './step.mjs';
import { build, install, root } from './workspace.mjs';

/**
 * Ends this process with the tool's exit code.
 * @param {object} tool
 * @param {readonly string[]} tool.builds the packages that it needs built, in order
 * @param {string} tool.entry the built program, from the top of the repository
 * @param {string} tool.failure what is said when it fails
 */
export async function runTool({ builds, entry, failure }) {
  await launch(async () => {
    stopOnSignals();
    await install();
    for (const name of builds) await build(name);
    const { exitCode } = await run(
      process.execPath,
      ['--enable-source-maps', join(root, entry), ...process.argv.slice(2)],
      { cwd: root, show: true },
    );
    // It has said itself what is wrong with its command line.
    if (exitCode === 2) process.exit(exitCode);
    if (exitCode !== 0) throw new StepFailed(failure, { exitCode });
  });
  process.exit(0);
}
