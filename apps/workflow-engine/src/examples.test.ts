import { readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { BuiltApp, TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionOf } from './definition/definition-cache.js';
import { type CliOutcome, CliProcess } from './testing/cli-process.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const examples = `${root}apps/workflow-engine/examples/`;

interface Shown {
  /** What stands after `npm run workflow --`. */
  readonly command: string;
  readonly printed: string;
}

const readme = await readFile(`${examples}README.md`, 'utf8');
const shown: readonly Shown[] = Array.from(
  readme.matchAll(/```sh\nnpm run workflow -- (.*)\n```\n\n```text\n([\s\S]*?)```/g),
  ([, command = '', printed = '']) => ({ command, printed }),
);
const local = shown.filter(({ command }) => command.endsWith('.yaml --local') || command.includes('--local --input'));
const needing = ['changes', 'thumbnails', 'service'];

let built: BuiltApp;
/** Has the folders of the top that examples read, and gets what they write. */
let folder: TemporaryFolder;

beforeAll(async () => {
  [built, folder] = await Promise.all([BuiltApp.build('apps/workflow-engine/src/main.ts'), TemporaryFolder.make()]);
  await symlink(`${root}apps`, folder.file('apps'));
  await mkdir(folder.file('bin'));
  for (const tool of ['sh', 'cat']) await symlink(`/bin/${tool}`, folder.file(`bin/${tool}`));
}, 60_000);

afterAll(async () => {
  await built?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function begin(command: string, options: ConstructorParameters<typeof CliProcess>[2] = {}): CliProcess {
  const words = Array.from(command.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
  const args = words.map((word) => word.replace(/^examples\//, examples));
  return new CliProcess(built.entry, args, { workingFolder: folder.path, ...options });
}

/**
 * Without what differs from run to run: ids, times, the order of steps, what is seen of them while they run, and the
 * warning of an engine that a busy machine leaves no time.
 */
function steady(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !/^[a-z-]+: (running|waiting)/.test(line))
    .filter((line) => !(line.startsWith('{') && line.includes('"msg":"the event loop was held up"')))
    .map((line) => line.replace(/(run [a-z-]+)-[a-z0-9]{6}\b/, '$1-ID'))
    .map((line) => line.replace(/(^[a-z-]+: [a-z]+), [0-9.]+ (s|min)( [0-9]+ s)?/, '$1'))
    .map((line) => line.replace(/ after [0-9.]+ (s|min)( [0-9]+ s)?$/, ''));
  const isStep = (line: string) => /^[a-z-]+: /.test(line);
  return [...lines.filter(isStep).sort(), ...lines.filter((line) => !isStep(line))].join('\n');
}

const textOf = ({ stderr, stdout }: CliOutcome) => `${stderr}${stdout}`;
const nameOf = (command: string) => /examples\/([a-z-]+)\.yaml/.exec(command)?.[1] ?? '';

describe('the examples', () => {
  const files = readdirSync(examples).filter((name) => name.endsWith('.yaml'));

  it.each(files)('%s is a definition without mistakes', async (file) => {
    expect(definitionOf(await readFile(`${examples}${file}`, 'utf8')).name).toBe(file.replace('.yaml', ''));
  });

  it('are all in the README, with what they print', () => {
    const names = files.map((file) => file.replace('.yaml', ''));
    expect(names.filter((name) => !readme.includes(`| [${name}](${name}.yaml) |`))).toEqual([]);
    expect(names.filter((name) => !shown.some(({ command }) => nameOf(command) === name))).toEqual([]);
  });
});

describe('what the README says that a command prints', { timeout: 60_000 }, () => {
  const alone = local.filter(({ command }) => ![...needing, 'ci'].includes(nameOf(command)));

  it.each(alone)('$command', async ({ command, printed }) => {
    const outcome = await begin(command).ended;
    expect(steady(textOf(outcome))).toBe(steady(printed));
    expect(outcome.code).toBe(printed.includes('✓') ? 0 : 1);
  });

  it('the checks of packages of this project', { timeout: 180_000 }, async () => {
    const ci = local.find(({ command }) => nameOf(command) === 'ci');
    const outcome = await begin(ci?.command ?? '', { workingFolder: root }).ended;
    expect(steady(textOf(outcome))).toBe(steady(ci?.printed ?? ''));
  });

  it.each(local.filter(({ command }) => needing.includes(nameOf(command))))(
    '$command, without the tool that it needs',
    async ({ command, printed }) => {
      const outcome = await begin(command, { environment: { PATH: folder.file('bin') } }).ended;
      expect(steady(textOf(outcome))).toBe(steady(printed));
      expect(outcome.code).toBe(1);
    },
  );
});

describe('what examples leave', { timeout: 60_000 }, () => {
  const run = (name: string, inputs: string) => begin(`run examples/${name}.yaml --local ${inputs}`).ended;

  it('mirror: a folder like the other, in which nothing is copied twice', async () => {
    const into = folder.file('mirrored');
    await run('mirror', `--input target=${into}`);
    expect(await readFile(`${into}/pages/spring.html`, 'utf8')).toContain('Sow beans');
    expect((await run('mirror', `--input target=${into}`)).stdout).toContain('"copied": 0');
  });

  it('nightly: no scratch folder, also after a failure', async () => {
    const into = folder.file('nights');
    expect((await run('nightly', `--input target=${into} --input failing=true`)).code).toBe(1);
    expect(await readdir(into)).toEqual([]);
    expect((await run('nightly', `--input target=${into}`)).code).toBe(0);
    expect(await readdir(into)).toEqual(['all.log.gz']);
  });

  it.each([
    { full: 'flight', left: undefined },
    { full: 'hotel', left: [] },
    { full: 'car', left: [] },
    { full: 'none', left: ['car', 'flight', 'hotel'] },
  ])('trip: all bookings or none, where there is no $full', async ({ full, left }) => {
    const into = folder.file(`trip-${full}`);
    await run('trip', `--input ledger=${into} --input full=${full}`);
    const [trip] = await readdir(into).catch(() => []);
    expect(trip === undefined ? undefined : (await readdir(`${into}/${trip}`)).sort()).toEqual(left);
  });

  it('convert: a page for each text', async () => {
    const into = folder.file('converted');
    await run('convert', `--input target=${into}`);
    expect(await readFile(`${into}/garlic.html`, 'utf8')).toContain('<li>Plant single cloves.</li>');
  });

  it('backup: the newest, and no more than are kept', async () => {
    const into = folder.file('backups');
    await run('backup', `--input target=${into} --input keep=1`);
    const [first] = await readdir(into);
    expect((await run('backup', `--input target=${into} --input keep=1`)).stdout).toContain('"kept": 1');
    const left = await readdir(into);
    expect(left).toHaveLength(1);
    expect(left).not.toEqual([first]);
  });
});

describe('the examples that need an engine', { timeout: 60_000 }, () => {
  let engine: CliProcess;
  let environment: { readonly WORKFLOW_SERVER: string };

  beforeAll(async () => {
    const args = '--port 0 --state-address 127.0.0.1:0 --data memory --log-format json';
    engine = begin(`serve ${args}`);
    await engine.writes('"msg":"ready"');
    const ready = `${engine.stdout}${engine.stderr}`.split('\n').find((line) => line.includes('"msg":"ready"'));
    environment = { WORKFLOW_SERVER: JSON.parse(ready ?? '').page };
  }, 30_000);

  afterAll(async () => {
    engine?.child.kill('SIGTERM');
    await engine?.ended;
  });

  const find = (start: string) => {
    const found = shown.find(({ command }) => command.startsWith(start) && !command.endsWith('--local'));
    if (found === undefined) throw new Error(`the README does not show ${start}`);
    return found;
  };

  it('release: is published when somebody approves', async () => {
    const { command, printed } = find('run examples/release.yaml');
    const run = begin(command, { environment });
    await run.writes('ask: waiting');
    expect(run.stderr).toContain(': Publish 1.0.0 (4 files)?');
    const [id = ''] = /release-[a-z0-9]{6}/.exec(run.stderr) ?? [];
    const approval = find('approve release-');
    const approved = await begin(approval.command.replace(/release-\S+/, id), { environment }).ended;
    expect(steady(textOf(approved))).toBe(steady(approval.printed));
    const outcome = await run.ended;
    expect(steady(textOf(outcome))).toBe(steady(printed));
    expect(await readdir(folder.file('reports/examples-releases/1.0.0/pages'))).toEqual(['autumn.html', 'spring.html']);
  });

  it('release: is not published when somebody refuses', async () => {
    const run = begin('run examples/release.yaml --input version=2.0.0', { environment });
    await run.writes('ask: waiting');
    const [id = ''] = /release-[a-z0-9]{6}/.exec(run.stderr) ?? [];
    expect((await begin(`reject ${id} --comment "not on a Friday"`, { environment }).ended).code).toBe(0);
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('publish: skipped');
    expect(stderr).toContain('not-published: succeeded');
    await expect(readdir(folder.file('reports/examples-releases/2.0.0'))).rejects.toThrow('ENOENT');
  });

  it('nightly: has a schedule', async () => {
    for (const start of ['apply examples/nightly.yaml', 'schedule set nightly']) {
      const { command, printed } = find(start);
      expect(steady(textOf(await begin(command, { environment }).ended))).toBe(steady(printed));
    }
  });
});
