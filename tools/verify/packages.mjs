// Looks at each published package as its users get it: publint at its manifest and files, attw at how its types resolve.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, stopOnSignals } from '../launch/child.mjs';
import { launch, StepFailed } from '../launch/step.mjs';
import { packTarballs, publishedPackages } from '../release/tarballs.mjs';

/** @type {readonly (readonly [string, readonly string[]])[]} */
const linters = [
  ['publint', ['--strict', '--level', 'warning']],
  // Entry points below the root need a resolver that knows `exports`: node16 and newer, and every bundler.
  ['attw', ['--no-definitely-typed', '--profile', 'node16', '--format', 'ascii', '--no-emoji', '--no-color']],
];

stopOnSignals();
await launch(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cosi-packages-'));
  try {
    const tarballs = await packTarballs(publishedPackages(), folder);
    const lint = async (/** @type {string} */ name, /** @type {string} */ tarball) => {
      const reports = await Promise.all(
        linters.map(async ([linter, args]) => ({ linter, ...(await run(linter, [tarball, ...args])) })),
      );
      return reports
        .filter(({ exitCode }) => exitCode !== 0)
        .flatMap(({ linter, output }) => [`@cosi-ts/${name}, ${linter}:`, ...output.map((line) => `  ${line}`)]);
    };
    /** @type {string[]} */
    const problems = [];
    for (const [name, tarball] of tarballs) problems.push(...(await lint(name, tarball)));
    if (problems.length > 0) throw new StepFailed('packages: problems found', { output: problems });
    console.log(`${tarballs.size} packages without a problem: ${[...tarballs.keys()].join(', ')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
