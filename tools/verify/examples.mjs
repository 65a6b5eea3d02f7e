// Type-checks the marked examples of the READMEs and of docs/ against the sources of the packages.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, stopOnSignals } from '../launch/child.mjs';
import { launch, StepFailed } from '../launch/step.mjs';
import { root } from '../launch/workspace.mjs';
import { allExamples } from '../release/readme-examples.mjs';

stopOnSignals();
await launch(async () => {
  const examples = allExamples();
  if (!examples.some(({ file, name }) => file === 'README.md' && name === 'first-controller')) {
    throw new StepFailed('README.md has no block marked <!-- example: first-controller -->');
  }
  // Inside the workspace, so that imports resolve as those of a package do.
  const folder = join(root, 'reports', 'examples');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, line, name, code } of examples) {
    // One folder for each file: its examples can import each other by their names.
    const own = join(folder, file.replaceAll('/', '.'));
    mkdirSync(own, { recursive: true });
    // As many lines before the code as in its file: a message's line number is then that of the Markdown.
    writeFileSync(join(own, `${name}.ts`), `${'\n'.repeat(line + 1)}${code}\nexport {};\n`);
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*/*.ts'] }));
  const result = await run('tsc', ['-p', join(folder, 'tsconfig.json')], { cwd: root });
  if (result.exitCode !== 0) throw new StepFailed('an example does not compile', result);
  console.log(`${examples.length} examples compile: ${examples.map(({ file, name }) => `${file} ${name}`).join(', ')}`);
});
