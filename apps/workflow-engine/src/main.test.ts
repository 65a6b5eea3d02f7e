import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { AppProcess, BuiltApp, TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isThere } from './executors/testing/processes.js';
import { CliProcess } from './testing/cli-process.js';
import { commandFiles } from './testing/command-files.js';

let built: BuiltApp;
let engine: AppProcess;
let folder: TemporaryFolder;

const files: Readonly<Record<string, string>> = {
  ...commandFiles,
  'broken.yaml': 'name: broken\nsteps:\n  a: { rum: echo }\n',
  'held.yaml': 'name: held\nsteps:\n  wait: { run: "until [ -e $GO ]; do sleep 0.05; done", env: { GO: FOLDER/go } }\n',
  'outer.yaml': `
name: outer
steps: { a: { workflow: hello, with: { who: them } } }
outputs: { text: "\${{ steps.a.outputs.text }}" }
`,
  'plugged.yaml': `
name: plugged
steps:
  a: { shout: { text: hi } }
  b: { needs: a, function: double, with: { n: "\${{ size(steps.a.outputs.text) }}" } }
outputs: { n: "\${{ steps.b.outputs.n }}" }
`,
  'plugin.mjs': `
    class RejectedError extends Error { name = 'RejectedError'; }
    export const functions = [{ name: 'double', handler({ n }) {
      if (n < 0) throw new RejectedError('too small');
      return { n: 2 * n };
    } }];
    export const executors = [{ name: 'shout', execute: async ({ action }) =>
      ({ state: 'succeeded', outputs: { text: action.text.toUpperCase() + '!' } }) }];
  `,
  'small.yaml': 'name: small\nsteps:\n  b: { function: double, with: { n: -1 }, retry: 5 }\n',
  'pid.yaml': 'name: pid\nsteps:\n  say: { run: "echo pid=$$; exec sleep 100" }\n',
};

beforeAll(async () => {
  [built, folder] = await Promise.all([BuiltApp.build('apps/workflow-engine/src/main.ts'), TemporaryFolder.make()]);
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(folder.file(name), text.replace('FOLDER', folder.path))),
  );
  engine = await AppProcess.start(built.entry, [
    ...['serve', '--port', '0', '--state-address', '127.0.0.1:0', '--data', 'memory', '--grace', '1s'],
  ]);
}, 60_000);

afterAll(async () => {
  await engine?.[Symbol.asyncDispose]();
  await built?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function begin(
  args: readonly string[],
  options: { readonly input?: string; readonly server?: string } = {},
): CliProcess {
  return new CliProcess(built.entry, args, {
    environment: { WORKFLOW_SERVER: options.server ?? engine.url },
    workingFolder: folder.path,
    ...(options.input === undefined ? {} : { input: options.input }),
  });
}

const noEngine = { server: 'http://127.0.0.1:9' };
const workflow = (...args: string[]) => begin(args).ended;
describe('workflow run', { timeout: 30_000 }, () => {
  it('follows a run to its end, and prints its outputs', async () => {
    const { code, stdout, stderr } = await workflow('run', 'hello.yaml', '--input', 'who=you', '--input', 'times=3');
    expect(stderr).toMatch(/run hello-[a-z0-9]+ succeeded after/);
    expect(stderr).toMatch(/greet: (running|succeeded)/);
    expect(stderr).toContain('twice: succeeded 3/3');
    expect(JSON.parse(stdout)).toEqual({ text: 'hello you', times: 3 });
    expect(code).toBe(0);
  });

  it('takes inputs from a file and the standard input', async () => {
    const { code, stdout } = await begin(['run', 'hello.yaml', '--inputs', '-'], { input: 'who: them\ntimes: 2\n' })
      .ended;
    expect(code).toBe(0);
    expect(stdout).toContain('"text": "hello them"');
  });

  it('tells a failure by its exit code, and where to look', async () => {
    const { code, stderr } = await workflow('run', 'failing.yaml', '--id', 'fails');
    expect(code).toBe(1);
    expect(stderr).toContain('bad: failed');
    expect(stderr).toContain('exit code 3');
    expect(stderr).toContain('bad │ on its way');
    expect(stderr).toContain('workflow logs fails bad');
    expect(stderr).toContain('workflow retry fails');
  });

  it('goes on without us after Ctrl-C', async () => {
    const run = begin(['run', 'long.yaml', '--id', 'left-alone']);
    await run.writes('wait: running');
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('run left-alone goes on without this command');
    expect((await workflow('get', 'run', 'left-alone')).stdout).toContain('state:     running');
    const waiting = begin(['get', 'run', 'left-alone', '--wait']);
    await waiting.writes('wait: running');
    expect((await workflow('cancel', 'left-alone', '--wait')).code).toBe(0);
    expect((await waiting.ended).code).toBe(4);
  });

  it('runs a file without an engine, and leaves nothing', async () => {
    const local = await begin(['run', 'hello.yaml', '--local'], { server: 'http://127.0.0.1:9' }).ended;
    expect(local.stderr).toContain('succeeded');
    expect(local).toMatchObject({ code: 0 });
    const failed = await begin(['run', 'failing.yaml', '--local'], { server: 'http://127.0.0.1:9' }).ended;
    expect(failed.code).toBe(1);
    const long = begin(['run', 'long.yaml', '--local'], { server: 'http://127.0.0.1:9' });
    await long.writes('wait: running');
    long.child.kill('SIGINT');
    expect(await long.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('is cancelled') });
  });

  it('ends at once by a second Ctrl-C, and leaves no process of a run that nobody keeps', async () => {
    const pid = folder.file('pid');
    await writeFile(
      folder.file('stubborn.yaml'),
      `name: stubborn\nsteps: { a: { run: "trap '' TERM; echo $$ > ${pid}; while :; do sleep 1; done" } }\n`,
    );
    const run = begin(['run', 'stubborn.yaml', '--local'], { server: 'http://127.0.0.1:9' });
    await run.writes('a: running');
    run.child.kill('SIGINT');
    await run.writes('is cancelled');
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 130 });
    const shell = Number(await readFile(pid, 'utf8'));
    await expect.poll(() => isThere(shell), { timeout: 5000 }).toBe(false);
  });

  it('runs other workflows in a run of its own engine when they are named', async () => {
    const alone = await begin(['run', 'outer.yaml', '--local'], noEngine).ended;
    expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no workflow hello') });
    const together = await begin(['run', 'outer.yaml', '--local', '--apply', 'hello.yaml'], noEngine).ended;
    expect(together).toMatchObject({ code: 0, stdout: expect.stringContaining('hello them') });
  });

  it('gives secrets to a run of its own engine', async () => {
    await writeFile(folder.file('token.txt'), 'hush-hush\n');
    const args = ['run', 'secret.yaml', '--local', '--secret'];
    const run = await begin([...args, 'deploy/token=@token.txt'], noEngine).ended;
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('succeeded') });
    const missing = await begin(['run', 'secret.yaml', '--local'], noEngine).ended;
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no secret deploy') });
    const wrong = await begin([...args, 'hush-hush'], noEngine).ended;
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('must be like github/token=TEXT') });
    expect(wrong.stderr).not.toContain('hush');
  });

  it('executes steps by functions and executors of a plugin', async () => {
    const local = await begin(['run', 'plugged.yaml', '--local', '--plugin', 'plugin.mjs'], noEngine).ended;
    expect(local).toMatchObject({ code: 0, stdout: '{\n  "n": 6\n}\n' });
    const rejected = await begin(['run', 'small.yaml', '--local', '--plugin', 'plugin.mjs'], noEngine).ended;
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringMatching(/b: failed, [\d.]+ s: too small/) });
    const missing = await begin(['run', 'plugged.yaml', '--local', '--plugin', 'none.mjs'], noEngine).ended;
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('none.mjs cannot be imported') });
    expect(await workflow('run', 'plugged.yaml', '--plugin', 'plugin.mjs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--plugin goes with --local'),
    });
  });

  it('says how to start an engine when there is none', async () => {
    const { code, stderr } = await begin(['run', 'hello.yaml'], { server: 'http://127.0.0.1:9' }).ended;
    expect(code).toBe(3);
    expect(stderr).toContain('no workflow engine answers at http://127.0.0.1:9');
    expect(stderr).toContain('npm run workflow');
    expect(stderr).toContain('workflow run hello.yaml --local');
    const broken = await begin(['run', 'broken.yaml'], { server: 'http://127.0.0.1:9' }).ended;
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('broken.yaml:3:8: ') });
  });

  it.skipIf(!existsSync('/dev/full'))('says that its output cannot be written', async () => {
    const command = 'exec "$0" "$1" validate "$2" > /dev/full';
    const args = ['-c', command, process.execPath, built.entry, folder.file('hello.yaml')];
    const failed = await promisify(execFile)('sh', args).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^workflow: the output cannot be written: /),
    });
  });

  it('takes a secret from the standard input', async () => {
    const set = await begin(['secret', 'set', 'deploy', 'token', 'user=ann'], { input: 'hush-hush\n' }).ended;
    expect(set).toMatchObject({ code: 0, stderr: 'secret deploy has token, user\n' });
    const run = await workflow('run', 'secret.yaml', '--id', 'says-it');
    expect(run.code).toBe(0);
    const { stdout } = await workflow('logs', 'says-it');
    expect(stdout).toBe('say │ got ***\n');
    expect(JSON.stringify(engine.log)).not.toContain('hush');
  });

  it('E18: follows a run over the sudden end of the engine and its next start', async () => {
    const args = ['serve', '--state-address', '127.0.0.1:0', '--data', folder.file('data'), '--port'];
    const first = await AppProcess.start(built.entry, [...args, '0']);
    const { url } = first;
    const run = begin(['run', 'held.yaml', '--id', 'held'], { server: url });
    await run.writes('wait: running');
    await first.signal('SIGKILL');
    await run.writes('the engine has gone');
    await using _ = await AppProcess.start(built.entry, [...args, new URL(url).port]);
    await run.writes('the engine is back');
    await writeFile(folder.file('go'), '');
    expect(await run.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('run held succeeded') });
  });
});

describe('workflow serve', { timeout: 30_000 }, () => {
  it('ends on a signal, and leaves nothing running that nobody would find again', async () => {
    const args = ['serve', '--port', '0', '--state-address', '127.0.0.1:0', '--data', 'memory', '--grace', '1s'];
    const own = await AppProcess.start(built.entry, args);
    const run = begin(['run', 'pid.yaml', '--no-wait', '--id', 'pid'], { server: own.url });
    expect((await run.ended).code).toBe(0);
    const logs = begin(['logs', '-f', 'pid', 'say'], { server: own.url });
    await logs.writes('pid=');
    const pid = Number(/pid=(\d+)/.exec(logs.stdout)?.[1]);
    expect(await own.signal('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(own.log.map(({ msg }) => msg)).toContain('stopped');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    logs.child.kill('SIGKILL');
    await logs.ended;
  });

  it('has functions and executors of its plugins', async () => {
    const args = ['serve', '--port', '0', '--state-address', '127.0.0.1:0', '--data', 'memory'];
    await using own = await AppProcess.start(built.entry, [...args, '--plugin', folder.file('plugin.mjs')]);
    const run = await begin(['run', 'plugged.yaml'], { server: own.url }).ended;
    expect(run).toMatchObject({ code: 0, stdout: '{\n  "n": 6\n}\n' });
  });

  it('says what keeps it from starting', async () => {
    const args = ['serve', '--port', '0', '--state-address', '127.0.0.1:0', '--data', 'memory', '--log-format', 'json'];
    const unplugged = await AppProcess.run(built.entry, [...args, '--plugin', folder.file('broken.yaml')]);
    expect(unplugged.code).toBe(1);
    expect(unplugged.log.at(-1)?.msg).toContain('broken.yaml cannot be imported');
    const taken = await AppProcess.run(built.entry, [
      ...['serve', '--port', new URL(engine.url).port, '--state-address', '127.0.0.1:0', '--data', 'memory'],
      ...['--log-format', 'json'],
    ]);
    expect(taken.code).toBe(1);
    expect(taken.log.at(-1)?.msg).toContain('the port is taken. Stop what listens there, or choose another with');
  });
});
