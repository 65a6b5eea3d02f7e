// Type-checks everything: the sources of the workspace together, the tooling, and what a package checks by itself
// (its script `typecheck`, as for pages that tsc cannot read).
import { join } from 'node:path';
import { run, stopOnSignals } from '../launch/child.mjs';
import { launch, StepFailed } from '../launch/step.mjs';
import { members, root } from '../launch/workspace.mjs';

stopOnSignals();
await launch(async () => {
  const own = members().filter(({ manifest }) => manifest.scripts?.typecheck !== undefined);
  const checks = [
    { cwd: root, command: ['tsc', '-p', 'tsconfig.json'] },
    { cwd: root, command: ['tsc', '-p', 'tsconfig.tools.json'] },
    ...own.map(({ folder }) => ({ cwd: join(root, folder), command: ['npm', 'run', '--silent', 'typecheck'] })),
  ];
  /** @type {string[]} */
  const problems = [];
  for (const { cwd, command } of checks) {
    const [name = '', ...args] = command;
    const { exitCode, output } = await run(name, args, { cwd, keptLines: 400 });
    if (exitCode !== 0) problems.push(...output);
  }
  if (problems.length > 0) throw new StepFailed('types: problems found', { output: problems });
});
