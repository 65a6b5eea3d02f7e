// The examples of tests that packages/testing shows, run as a user runs them: with vitest, and with Node's own runner.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StepFailed, step } from '../launch/step.mjs';

const readme = 'packages/testing/README.md';
/** By the example's name, the file that it is written to. */
const files = /** @type {const} */ ({
  invoices: 'invoices.ts',
  'invoices-vitest': 'invoices.test.ts',
  'invoices-node-test': 'invoices.node.ts',
});

/**
 * @param {readonly import('./readme-examples.mjs').Example[]} examples
 * @param {string} folder made for it
 * @param {readonly string[]} tarballs
 * @param {(name: string) => string} pinned gives a development dependency of the workspace with its version
 */
export async function runTestExamples(examples, folder, tarballs, pinned) {
  mkdirSync(folder);
  for (const [name, path] of Object.entries(files)) {
    const example = examples.find((each) => each.file === readme && each.name === name);
    if (example === undefined) throw new StepFailed(`${readme} has no ts block marked <!-- example: ${name} -->`);
    writeFileSync(join(folder, path), example.code);
  }
  const manifest = { name: 'scratch', private: true, type: 'module' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    outDir: 'out',
    rootDir: '.',
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: [files['invoices-node-test']] }),
  );
  const dependencies = [...tarballs, pinned('typescript'), pinned('@types/node'), pinned('vitest')];
  const at = { cwd: folder };
  await step('tests: install', 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...dependencies], at);
  const vitest = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', files['invoices-vitest']];
  await step('tests: run the example with vitest', process.execPath, vitest, at);
  await step('tests: compile the example', process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc')], at);
  const compiled = join('out', files['invoices-node-test'].replace(/ts$/, 'js'));
  await step("tests: run the example with Node's runner", process.execPath, ['--test', compiled], at);
}
