// npm run pack-check: what a user of the packed packages meets. In a project outside the workspace it installs the
// tarballs with plain npm, as ESM and as CJS, loads each package, type-checks the README's first controller, runs it,
// and compares what it prints with what the README shows. Then it runs the tests that packages/testing shows.
import '../launch/node-version.mjs';

const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = await import('node:fs');
const { tmpdir } = await import('node:os');
const { join } = await import('node:path');
const { parseArgs } = await import('node:util');
const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, say, step, StepFailed } = await import('../launch/step.mjs');
const { build, install, root } = await import('../launch/workspace.mjs');
const { allExamples, missingLine } = await import('./readme-examples.mjs');
const { packTarballs, publishedPackages } = await import('./tarballs.mjs');
const { runTestExamples } = await import('./test-examples.mjs');

const exampleName = 'first-controller';
/** How long the example may run: it is a program that ends. */
const exampleTimeoutMs = 60_000;

const { values } = parseArgs({ options: { keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
if (values.help) {
  console.log(`npm run pack-check [-- --keep]

Installs every packed package in scratch projects, loads it, and runs the README's example and the shown tests there.
  --keep   leave the scratch projects where they are, and say where`);
  process.exit(0);
}

function readExample() {
  const example = allExamples().find(({ file, name }) => file === 'README.md' && name === exampleName);
  if (example === undefined) throw new StepFailed(`README.md has no ts block marked <!-- example: ${exampleName} -->`);
  if (example.output === undefined || example.output.length === 0) {
    throw new StepFailed(`README.md shows no output of its example: a block marked <!-- output: ${exampleName} -->`);
  }
  return { code: example.code, output: example.output };
}

/** @param {string} name a development dependency of the workspace */
const pinned = (name) =>
  `${name}@${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies[name]}`;

/**
 * @param {string} folder
 * @param {'module' | 'commonjs'} type of the project, by which TypeScript and Node choose between ESM and CJS
 * @param {string} code
 * @param {readonly string[]} packages
 */
function writeProject(folder, type, code, packages) {
  mkdirSync(folder);
  const write = (/** @type {string} */ name, /** @type {unknown} */ content) =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  write('package.json', { name: 'scratch', private: true, type });
  write('tsconfig.json', {
    compilerOptions: {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      skipLibCheck: false,
      outDir: 'out',
      rootDir: '.',
    },
    files: ['example.ts'],
  });
  write('example.ts', code);
  const load =
    type === 'module'
      ? (/** @type {string} */ name) => `await import('${name}')`
      : (/** @type {string} */ name) => `require('${name}')`;
  write(
    'load.js',
    packages
      .map(
        (name) =>
          `if (Object.keys(${load(`@cosi-ts/${name}`)}).length === 0) throw new Error('${name} exports nothing');`,
      )
      .join('\n'),
  );
}

/**
 * @param {string} folder
 * @param {string} title
 * @param {readonly string[]} expected
 */
async function runExample(folder, title, expected) {
  const result = await run(process.execPath, [join('out', 'example.js')], {
    cwd: folder,
    keptLines: 10_000,
    timeoutMs: exampleTimeoutMs,
  });
  if (result.exitCode !== 0)
    throw new StepFailed(`${title}: the example failed with exit code ${result.exitCode}`, result);
  const missing = missingLine(expected, result.output);
  if (missing !== undefined) {
    throw new StepFailed(
      `${title}: the example does not print the README's line "${missing}"; it printed the above`,
      result,
    );
  }
  say(`${title}: the example ran and printed the ${expected.length} lines that the README shows`);
}

await launch(async () => {
  stopOnSignals();
  await install();
  await build();
  // It needs a dependency, which is installed only now.
  const { inAsyncFunction } = await import('./async-function.mjs');
  const { code, output } = readExample();
  const scratch = mkdtempSync(join(tmpdir(), 'cosi-pack-check-'));
  try {
    const packages = publishedPackages();
    const tarballs = await packTarballs(packages, scratch);
    for (const [title, type, program] of /** @type {const} */ ([
      ['ESM', 'module', code],
      ['CJS', 'commonjs', inAsyncFunction(code)],
    ])) {
      const folder = join(scratch, title.toLowerCase());
      writeProject(folder, type, program, packages);
      await step(
        `${title}: install the tarballs`,
        'npm',
        [
          'install',
          '--no-audit',
          '--no-fund',
          '--prefer-offline',
          ...tarballs.values(),
          pinned('typescript'),
          pinned('@types/node'),
        ],
        { cwd: folder },
      );
      await step(`${title}: load the packages`, process.execPath, ['load.js'], { cwd: folder });
      await step(
        `${title}: type-check and compile the example`,
        process.execPath,
        [join('node_modules', 'typescript', 'bin', 'tsc')],
        {
          cwd: folder,
        },
      );
      await runExample(folder, title, output);
    }
    await runTestExamples(allExamples(), join(scratch, 'tests'), [...tarballs.values()], pinned);
  } finally {
    if (values.keep) say(`scratch projects left in ${scratch}`);
    else rmSync(scratch, { recursive: true, force: true });
  }
});
process.exit(0);
