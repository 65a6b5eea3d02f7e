// Brings the workspace from a bare clone to installed and built, and proves cheaply that it is when it is: then neither
// npx nor pnpm nor turbo runs, and no network is touched.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint } from './fingerprint.mjs';
import { say, seconds, step } from './step.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @typedef {{ folder: string, manifest: Record<string, any> }} Member */

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The packages of the workspace, by the globs of pnpm-workspace.yaml. @returns {Member[]} */
export function members() {
  return ['packages', 'apps', 'tools'].flatMap((group) => {
    if (!existsSync(join(root, group))) return [];
    return readdirSync(join(root, group))
      .sort()
      .map((name) => `${group}/${name}`)
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .map((folder) => ({ folder, manifest: readJson(join(root, folder, 'package.json')) }));
  });
}

/** The arguments that make npx run the pnpm pinned in package.json, from npm's cache where it is there already. */
export const pnpm = () => ['--yes', '--prefer-offline', readJson(join(root, 'package.json')).packageManager];

/** No tool of the build may call home, ask for an update, or wait for an answer. */
const quiet = {
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
};

// What the last install and builds were made from. It lives in node_modules, so that it goes when they go.
const recordPath = join(root, 'node_modules', '.launch.json');

/** @returns {{ install?: string, builds?: Record<string, string> }} */
const readRecord = () => (existsSync(recordPath) ? readJson(recordPath) : {});

/** @param {ReturnType<typeof readRecord>} record */
function writeRecord(record) {
  mkdirSync(dirname(recordPath), { recursive: true });
  writeFileSync(recordPath, `${JSON.stringify(record, null, 2)}\n`);
}

const manifestPaths = () => ['package.json', ...members().map(({ folder }) => `${folder}/package.json`)];

const installInputs = () =>
  `${process.platform}-${process.arch}-${fingerprint(root, ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', ...manifestPaths()])}`;

/** @param {Member} member */
function hasItsDependencies({ folder, manifest }) {
  const declared = { ...manifest.dependencies, ...manifest.devDependencies };
  return Object.keys(declared).every((name) => existsSync(join(root, folder, 'node_modules', name)));
}

/** Installs what the lock file says, unless that is what is installed. */
export async function install() {
  const begin = performance.now();
  const inputs = installInputs();
  const all = [{ folder: '.', manifest: readJson(join(root, 'package.json')) }, ...members()];
  if (readRecord().install === inputs && all.every(hasItsDependencies)) {
    say(`dependencies are up to date (looked for ${seconds(performance.now() - begin)})`);
    return;
  }
  await step(
    'install dependencies from pnpm-lock.yaml',
    'npx',
    [
      ...pnpm(),
      'install',
      '--frozen-lockfile',
      '--prefer-offline',
      '--reporter=append-only',
      '--config.confirmModulesPurge=false',
    ],
    { cwd: root, env: quiet },
  );
  writeRecord({ ...readRecord(), install: inputs });
}

// Of a package's own folder; the same as the exclusions in turbo.json.
const unbuilt = /^[^/]+\/[^/]+\/(dist|data|\.turbo|node_modules|README\.md)$|\.test\.ts$/;

/** Everything that a build reads. */
const buildInputs = () =>
  fingerprint(
    root,
    [
      'pnpm-lock.yaml',
      'turbo.json',
      'tsconfig.base.json',
      'tools/build',
      'proto',
      ...members().map(({ folder }) => folder),
    ],
    (path) => !unbuilt.test(path),
  );

const buildOutputs = () =>
  fingerprint(
    root,
    members().map(({ folder }) => `${folder}/dist`),
  );

/** What turbo printed, without the lines of tasks that did not fail. @param {readonly string[]} output */
function ofFailedTasks(output) {
  const [, names = ''] = /^ *Failed: +(.*)$/m.exec(output.join('\n')) ?? [];
  const failed = names.split(', ').map((name) => name.replace('#', ':'));
  return output.filter((line) => {
    const task = /^(@?[\w/-]+:build): /.exec(line)?.[1];
    return task === undefined || failed.includes(task);
  });
}

/**
 * Builds a package and all it needs, or every package, unless neither sources nor built files changed since.
 * @param {string} [target] the name of a package; all of them without it
 */
export async function build(target) {
  const begin = performance.now();
  const scope = target ?? 'all';
  const inputs = buildInputs();
  const { builds = {} } = readRecord();
  const made = () => `${inputs}-${buildOutputs()}`;
  if ([builds[scope], builds.all].includes(made())) {
    say(`packages are up to date (looked for ${seconds(performance.now() - begin)})`);
    return;
  }
  const filter = target === undefined ? [] : [`--filter=${target}...`];
  await step(
    target === undefined ? 'build all packages' : `build ${target} and the packages it needs`,
    'npx',
    [...pnpm(), 'exec', 'turbo', 'run', 'build', '--cache=local:rw', '--output-logs=new-only', ...filter],
    { cwd: root, env: quiet, keptLines: 2000, report: ofFailedTasks },
  );
  // An output that this build wrote is new to the others too: their next run asks turbo, which answers from its cache.
  writeRecord({ ...readRecord(), builds: { ...builds, [scope]: made() } });
}
