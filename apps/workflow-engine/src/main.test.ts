import { writeFile } from 'node:fs/promises';
import { AppProcess, BuiltApp, TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CliProcess } from './testing/cli-process.js';

let built: BuiltApp;
let engine: AppProcess;
let folder: TemporaryFolder;

const hello = `name: hello
inputs:
  who: { type: string, default: world }
  times: { type: number, default: 1 }
steps:
  greet:
    run: |
      echo "hello \${{ inputs.who }}"
      echo "text=hello \${{ inputs.who }}" >> "$WORKFLOW_OUTPUT"
      echo 'times:=\${{ inputs.times }}' >> "$WORKFLOW_OUTPUT"
  twice:
    needs: [greet]
    forEach: [1, 2, 3]
    run: echo item \${{ item }}
outputs:
  text: \${{ steps.greet.outputs.text }}
  times: \${{ steps.greet.outputs.times }}
`;

const files: Readonly<Record<string, string>> = {
  'hello.yaml': hello,
  'broken.yaml': hello.replace('needs: [greet]', 'needs: [great]'),
  'failing.yaml':
    'name: failing\nsteps:\n  bad: { run: "echo on its way; exit 3" }\n  after: { needs: [bad], run: echo }\n',
  'long.yaml': 'name: long\nsteps:\n  wait: { run: "echo begun; sleep 100" }\n',
  'release.yaml':
    'name: release\nsteps:\n  ask: { approve: Release it? }\n  ship: { needs: [ask], run: echo shipped }\n',
  'signal.yaml': `name: signal\nsteps:\n  go: { wait: go }\noutputs: { n: "\${{ steps.go.outputs.n }}" }\n`,
  'secret.yaml': 'name: secret\nsteps:\n  say: { run: "echo got $TOKEN", secretEnv: { TOKEN: deploy/token } }\n',
};

beforeAll(async () => {
  [built, folder] = await Promise.all([BuiltApp.build('apps/workflow-engine/src/main.ts'), TemporaryFolder.make()]);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(folder.file(name), text)));
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

const workflow = (...args: string[]) => begin(args).ended;
/** Begins a run, and gives its id. */
const started = async (...args: string[]) => (await workflow('run', ...args, '--no-wait')).stdout.trim();

describe('workflow run', { timeout: 30_000 }, () => {
  it('follows a run to its end, and prints its outputs', async () => {
    const { code, stdout, stderr } = await workflow('run', 'hello.yaml', '--input', 'who=you', '--input', 'times=3');
    expect(stderr).toMatch(/run hello-[a-z0-9]+ succeeded after/);
    expect(stdout).toMatch(/greet: (running|succeeded)/);
    expect(stdout).toContain('twice: succeeded 3/3');
    expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toEqual({ text: 'hello you', times: 3 });
    expect(code).toBe(0);
  });

  it('takes inputs from a file and the standard input', async () => {
    const { code, stdout } = await begin(['run', 'hello.yaml', '--inputs', '-'], { input: 'who: them\ntimes: 2\n' })
      .ended;
    expect(code).toBe(0);
    expect(stdout).toContain('"text": "hello them"');
  });

  it('tells a failure by its exit code, and where to look', async () => {
    const { code, stdout, stderr } = await workflow('run', 'failing.yaml', '--id', 'fails');
    expect(code).toBe(1);
    expect(stdout).toContain('bad: failed');
    expect(stderr).toContain('exit code 3');
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

  it('says how to start an engine when there is none', async () => {
    const { code, stderr } = await begin(['run', 'hello.yaml'], { server: 'http://127.0.0.1:9' }).ended;
    expect(code).toBe(3);
    expect(stderr).toContain('no workflow engine answers at http://127.0.0.1:9');
    expect(stderr).toContain('npm run workflow');
    expect(stderr).toContain('workflow run hello.yaml --local');
  });

  it.each([
    [['run', 'broken.yaml'], 1, 'broken.yaml:12:13: steps.twice.needs[0]:'],
    [['run', 'none.yaml'], 2, 'there is no such file'],
    [['run', 'nothing'], 1, 'there is no workflow "nothing"'],
    [['run', 'hello.yaml', '--input', 'who'], 2, 'it must be like name=value'],
    [['run', 'hello.yaml', '--input', 'times=many'], 2, 'it must be a number'],
    [['run', 'hello.yaml', '--input', 'whom=x'], 1, 'there is no input whom'],
    [['run', 'hello.yaml', '--id', 'a.b'], 1, 'id: must be'],
    [['get', 'run', 'none'], 1, 'there is no run "none"'],
    [['logs', 'none'], 1, 'there is no run "none"'],
    [['cancel', 'none'], 1, 'there is no run "none"'],
    [['graph', 'none'], 1, 'neither a file nor a run nor a workflow'],
    [['signal', 'none', 'x', '--payload', '{'], 2, 'it is no JSON'],
    [['delete', 'workflow', 'none'], 1, 'there is no workflow "none"'],
    [['nonsense'], 2, "unknown command 'nonsense'"],
  ])('%j ends with %d', async (args, code, message) => {
    const outcome = await workflow(...args);
    expect(outcome.stderr).toContain(message);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).not.toMatch(/ {4}at /);
  });
});

describe('workflow', { timeout: 30_000 }, () => {
  it('validates files without an engine', async () => {
    const good = await begin(['validate', 'hello.yaml'], { server: 'http://127.0.0.1:9' }).ended;
    expect(good).toMatchObject({ code: 0, stdout: 'hello.yaml: ok, hello with 2 steps\n' });
    const { code, stdout, stderr } = await workflow('validate', 'hello.yaml', 'broken.yaml');
    expect(code).toBe(1);
    expect(stdout).toContain('broken.yaml:12:13: steps.twice.needs[0]');
    expect(stdout).toMatch(/needs: \[great\]\n +\^/);
    expect(stderr).toContain('1 of 2 files are wrong');
  });

  it('applies, lists and deletes workflows', async () => {
    expect((await workflow('apply', 'hello.yaml', 'broken.yaml')).code).toBe(1);
    expect((await workflow('apply', 'hello.yaml', 'failing.yaml')).stdout).toBe(
      'workflow hello is created\nworkflow failing is created\n',
    );
    expect((await workflow('apply', 'hello.yaml')).stdout).toContain('is as it was');
    expect((await workflow('get', 'workflows')).stdout).toMatch(/WORKFLOW +STEPS[\s\S]*hello +2 +who\? times\?/);
    const json = JSON.parse((await workflow('get', 'workflows', '-o', 'json')).stdout);
    expect(json.map(({ name }: { name: string }) => name)).toEqual(['failing', 'hello']);
    const yaml = parse((await workflow('get', 'workflow', 'hello', '-o', 'yaml')).stdout);
    expect(yaml).toMatchObject({ name: 'hello', source: hello });
    const run = await started('hello');
    expect((await workflow('get', 'run', run, '--wait')).code).toBe(0);
    expect((await workflow('get', 'runs', '--workflow', 'hello', '--state', 'succeeded')).stdout).toContain(run);
    expect((await workflow('get', 'steps', run)).stdout).toContain('✓ twice  succeeded 3/3');
    expect((await workflow('get', 'steps', run, 'twice', '--limit', '2')).stdout.trim().split('\n')).toHaveLength(3);
    expect((await workflow('delete', 'workflow', 'failing')).code).toBe(0);
  });

  it('prints logs, also while they are written', async () => {
    const run = await started('hello.yaml');
    await workflow('get', 'run', run, '--wait');
    expect((await workflow('logs', run, 'greet')).stdout).toBe('hello world\n');
    expect((await workflow('logs', run, 'twice', '--index', '1')).stdout).toBe('item 2\n');
    const all = (await workflow('logs', run)).stdout;
    for (const line of ['greet │ hello world', 'twice[0] │ item 1', 'twice[2] │ item 3']) expect(all).toContain(line);
    const long = await started('long.yaml');
    const followed = begin(['logs', '-f', long]);
    await followed.writes('wait │ begun');
    await workflow('cancel', long);
    expect((await followed.ended).code).toBe(0);
  });

  it('approves, rejects and signals', async () => {
    const run = await started('release.yaml');
    const waiting = begin(['get', 'run', run, '--wait']);
    await waiting.writes('Release it?');
    expect((await workflow('approve', run, '--by', 'ann')).stderr).toContain(`step ask of run ${run} is approved`);
    expect((await waiting.ended).code).toBe(0);
    const other = await started('release.yaml');
    expect((await workflow('reject', other, 'ask', '--comment', 'not today')).code).toBe(0);
    const rejected = await workflow('get', 'run', other, '--wait');
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('not today');
    const third = await started('signal.yaml');
    expect((await workflow('signal', third, 'go', '--payload', '{"n": 7}')).code).toBe(0);
    expect((await workflow('get', 'run', third, '--wait', '-o', 'json')).stdout).toContain('"n": 7');
    expect(await workflow('signal', third, 'stop')).toMatchObject({ code: 1 });
  });

  it('pauses, resumes and retries', async () => {
    const run = await started('hello.yaml', '--paused');
    expect((await workflow('resume', run, '--wait')).code).toBe(0);
    const failed = await started('failing.yaml');
    expect((await workflow('get', 'run', failed, '--wait')).code).toBe(1);
    expect((await workflow('retry', failed, '--wait')).code).toBe(1);
    expect((await workflow('get', 'steps', failed)).stdout).toContain('attempt 2');
    expect(await workflow('pause', failed)).toMatchObject({ code: 1, stderr: expect.stringContaining('has failed') });
  });

  it('keeps secrets from the standard input, and never shows them', async () => {
    const set = await begin(['secret', 'set', 'deploy', 'token', 'user=ann'], { input: 'hush-hush\n' }).ended;
    expect(set).toMatchObject({ code: 0, stderr: 'secret deploy has token, user\n' });
    const run = await started('secret.yaml');
    await workflow('get', 'run', run, '--wait');
    const told = [
      (await workflow('secret', 'list')).stdout,
      (await workflow('logs', run)).stdout,
      (await workflow('get', 'run', run, '-o', 'json')).stdout,
      JSON.stringify(engine.log),
    ].join('\n');
    expect(told).toContain('say │ got ***');
    expect(told).not.toContain('hush');
    expect((await workflow('secret', 'unset', 'deploy', 'user')).stderr).toBe('secret deploy has token\n');
    expect((await workflow('delete', 'secret', 'deploy')).code).toBe(0);
  });

  it('draws files, runs and workflows', async () => {
    const file = await begin(['graph', 'hello.yaml', '-o', 'text'], { server: 'http://127.0.0.1:9' }).ended;
    expect(file.stdout).toBe('●  greet  (run)\n●  twice  (run, for each item)\n');
    expect((await workflow('graph', 'hello.yaml')).stdout).toContain('"greet" -> "twice"');
    const run = await started('hello.yaml');
    await workflow('get', 'run', run, '--wait');
    expect((await workflow('graph', run, '-o', 'text')).stdout).toContain('✓  greet  (run, succeeded)');
    expect((await workflow('graph', run)).stdout).toContain('tooltip="succeeded"');
  });
});
