// Generates code from the .proto files by every buf.gen.yaml of a package, an app or a tool.
//   npm run generate          writes it where the buf.gen.yaml says
//   npm run check:generated   writes it to a temporary folder (--check), and fails when it differs from what is checked in
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { run, stopOnSignals } from '../launch/child.mjs';
import { launch, StepFailed } from '../launch/step.mjs';
import { members, root } from '../launch/workspace.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

/** Files below a folder, node_modules and built files left out. @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** @param {string} output the folder that the paths in a buf.gen.yaml are relative to */
async function generate(output) {
  const templates = members().flatMap(({ folder }) =>
    filesBelow(join(root, folder)).filter((path) => basename(path) === 'buf.gen.yaml'),
  );
  for (const template of templates) {
    const result = await run('buf', ['generate', '--template', relative(root, template), '--output', output], {
      cwd: root,
    });
    if (result.exitCode !== 0) throw new StepFailed(`buf generate --template ${template}: failed`, result);
  }
}

/** The folders that generated files stand in directly or not, told by their name. @param {string} folder */
const generatedBelow = (folder) =>
  filesBelow(folder)
    .map((path) => relative(folder, path))
    .filter((path) => /(^|\/)gen\//.test(path));

/** @param {string} fresh */
function compare(fresh) {
  const made = new Set(generatedBelow(fresh));
  const checkedIn = members().flatMap(({ folder }) =>
    generatedBelow(join(root, folder)).map((path) => join(folder, path)),
  );
  const stale = checkedIn.filter((path) => !made.has(path)).map((path) => `${path} is not generated any more`);
  for (const path of made) {
    if (!existsSync(join(root, path))) stale.push(`${path} is missing`);
    else if (!readFileSync(join(root, path)).equals(readFileSync(join(fresh, path)))) stale.push(`${path} differs`);
  }
  if (made.size === 0) stale.push('nothing was generated');
  if (stale.length > 0) {
    throw new StepFailed('generated code is not what the .proto files give; run: npm run generate', { output: stale });
  }
}

stopOnSignals();
await launch(async () => {
  if (!values.check) {
    await generate(root);
    return;
  }
  const fresh = mkdtempSync(join(tmpdir(), 'cosi-generated-'));
  try {
    await generate(fresh);
    compare(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
});
