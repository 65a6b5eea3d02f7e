import { getEventListeners } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { attemptAt, testContext } from '../testing/attempts.js';
import { RunFixture } from '../testing/run-fixture.js';
import { isGroupEmpty } from './process-group.js';

// Processes take their time on a machine that has others to do.
vi.setConfig({ testTimeout: 30_000 });

describe('a process', () => {
  it('gives outputs and a log', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({
      script: 'echo one\necho two >&2\necho "a=1" >>"$WORKFLOW_OUTPUT"\necho \'b:=[1]\' >>"$WORKFLOW_OUTPUT"',
    });
    const context = testContext();
    expect(await run.executor.execute(attempt, context)).toEqual({ state: 'succeeded', outputs: { a: '1', b: [1] } });
    expect((await run.log(attempt)).sort()).toEqual(['stderr two', 'stdout one']);
    expect(context.progress).toEqual({ pid: expect.any(Number), log: 'r1/build/1.log' });
    expect(isGroupEmpty(await context.begun)).toBe(true);
  });

  it.each([
    "const { sep } = require('node:path'); console.log(sep)",
    "import { sep } from 'node:path'; console.log(sep)",
  ])('is a script for Node also where the data is in a package of modules: %s', async (script) => {
    const run = await RunFixture.make();
    await writeFile(run.file('package.json'), '{ "type": "module" }');
    const attempt = attemptAt({ script, shell: ['node'] });
    expect(await run.executor.execute(attempt, testContext())).toEqual({ state: 'succeeded', outputs: {} });
    expect(await run.log(attempt)).toContain('stdout /');
  });

  it('has the environment that is documented, and nothing else', async () => {
    const environment = { PATH: process.env.PATH, HOME: '/home/me', API_KEY: 'of the engine', EXTRA: 'x' };
    const run = await RunFixture.make({ environment, inherit: ['PATH', 'HOME', 'EXTRA', 'TZ'] });
    const action = {
      args: ['env'],
      env: { MINE: 'a\nb', WORKFLOW_STEP: 'not this' },
      secretEnv: { TOKEN: { secret: 's', key: 'k' } },
    };
    const attempt = attemptAt(action, { index: 3, attempt: 2 });
    const context = testContext(0, { 's/k': 'hunter2' });
    expect((await run.executor.execute(attempt, context)).state).toBe('succeeded');
    const variables = (await run.log(attempt)).map((line) => line.replace('stdout ', ''));
    const folder = run.paths.attempt(attempt);
    expect(variables.filter((line) => !/^(PATH|PWD|SHLVL|_|OLDPWD)=/.test(line)).sort()).toEqual(
      [
        'EXTRA=x',
        'HOME=/home/me',
        'MINE=a',
        'b',
        'TOKEN=***',
        'WORKFLOW_RUN=r1',
        'WORKFLOW_STEP=build',
        'WORKFLOW_INDEX=3',
        'WORKFLOW_ATTEMPT=2',
        'WORKFLOW_IDEMPOTENCY_KEY=key-of-r1.build',
        `WORKFLOW_OUTPUT=${folder}/output`,
        `WORKFLOW_ARTIFACTS=${run.folder}/data/artifacts/r1`,
      ].sort(),
    );
  });

  it.each([
    [{ script: 'echo "no luck" >&2; exit 3' }, 3, 'exit code 3: no luck'],
    [{ script: 'false; echo not reached' }, 1, 'exit code 1'],
    [{ script: 'kill -9 $$' }, 137, 'ended by SIGKILL (exit code 137)'],
    [{ args: ['no-such-program'] }, 127, 'exit code 127: the program was not found'],
    [{ args: ['/'] }, 126, 'exit code 126: the program cannot be executed'],
    [{ args: ['exit', '0'] }, 127, 'exit code 127: the program was not found'],
    [{ shell: ['node', '--input-type=commonjs', '-e', 'process.exit(4)'], script: '' }, 4, 'exit code 4'],
  ])('that fails: %j', async (action, exitCode, message) => {
    const run = await RunFixture.make();
    const outcome = await run.executor.execute(attemptAt(action), testContext());
    expect(outcome).toMatchObject({ state: 'failed', reason: 'exit', exitCode });
    expect(outcome).toHaveProperty('message', expect.stringContaining(message));
  });

  it('is a program with its arguments as they are, also where the shell has one of its own by that name', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ args: ['printf', '%s|', 'a b', '$HOME', '*', '', '\\n', 'ěš'] });
    expect((await run.executor.execute(attempt, testContext())).state).toBe('succeeded');
    expect(await run.log(attempt)).toEqual(['stdout a b|$HOME|*||\\n|ěš|']);
  });

  it('of another shell', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ shell: ['node'], script: 'console.log(process.argv.length, 1 + 1)' });
    await run.executor.execute(attempt, testContext());
    expect(await run.log(attempt)).toEqual(['stdout 2 2']);
  });

  it('begins in an empty folder of its own, which is kept when it failed only', async () => {
    const run = await RunFixture.make();
    const good = attemptAt({ script: 'ls -A; touch made' });
    await run.executor.execute(good, testContext());
    expect(await run.log(good)).toEqual([]);
    expect(await readdir(run.paths.attempt(good))).not.toContain('work');
    const bad = attemptAt({ script: 'touch made; exit 1' }, { attempt: 2 });
    await run.executor.execute(bad, testContext());
    expect(await readdir(run.attemptFile(bad, 'work'))).toEqual(['made']);
  });

  it('begins in the folder that it names', async () => {
    const run = await RunFixture.make();
    await mkdir(run.file('here'));
    await writeFile(run.file('here/mine'), 'x');
    const attempt = attemptAt({ script: 'ls', workingFolder: run.file('here') });
    await run.executor.execute(attempt, testContext());
    expect(await run.log(attempt)).toEqual(['stdout mine']);
    expect(await readdir(run.file('here'))).toEqual(['mine']);
    const elsewhere = attemptAt({ script: 'ls', workingFolder: run.file('none') }, { attempt: 2 });
    expect(await run.executor.execute(elsewhere, testContext())).toEqual({
      state: 'failed',
      reason: 'error',
      message: `the working folder ${run.file('none')} is not there`,
    });
  });

  it('has no input', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ args: ['cat'] });
    expect((await run.executor.execute(attempt, testContext())).state).toBe('succeeded');
  });

  it('that writes outputs which make no sense has failed', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ script: 'echo nonsense >>"$WORKFLOW_OUTPUT"' });
    const outcome = await run.executor.execute(attempt, testContext());
    const message = 'line 1 of the outputs is not of the form name=value: "nonsense"';
    expect(outcome).toEqual({ state: 'failed', reason: 'error', message });
    expect(await run.log(attempt)).toEqual([`engine ${message}`]);
  });

  it('that writes too much as outputs has failed', async () => {
    const run = await RunFixture.make({ maxOutputBytes: 10 });
    const outcome = await run.executor.execute(
      attemptAt({ script: 'echo a=12345678 >$WORKFLOW_OUTPUT' }),
      testContext(),
    );
    expect(outcome).toMatchObject({ reason: 'error', message: expect.stringContaining('the limit is 10') });
  });

  it('may open its outputs by name', async () => {
    const run = await RunFixture.make();
    const script =
      'say() { echo $1 >/dev/stderr; }; say 1; say 2; echo 3 | tee /dev/stderr >/dev/stdout; echo 4; say 5';
    const attempt = attemptAt({ script });
    expect((await run.executor.execute(attempt, testContext())).state).toBe('succeeded');
    const log = await run.log(attempt);
    expect(log.filter((line) => line.startsWith('stderr'))).toEqual(['stderr 1', 'stderr 2', 'stderr 3', 'stderr 5']);
    expect(log.filter((line) => line.startsWith('stdout'))).toEqual(['stdout 3', 'stdout 4']);
  });

  it.each<[string, object, string]>([
    ['neither script nor program', {}, 'the action of a run step: must have either'],
    ['both', { script: 'a', args: ['b'] }, 'must have either'],
    ['a program like an option', { args: ['-c', 'x'] }, 'args.0 cannot be the name of a program: "-c"'],
    ['a variable without a name', { script: '', env: { 'A B': '1' } }, 'env.A B is no name of a variable'],
    ['NUL in a variable', { script: '', env: { A: '\0' } }, 'env.A holds a NUL character'],
    ['NUL in an argument', { args: ['a', '\0'] }, 'args.1 holds a NUL character'],
    ['an artifact from elsewhere', { script: '', artifacts: ['a/../../b'] }, 'artifacts.0 must be a path inside'],
    ['an empty working folder', { script: '', workingFolder: '' }, 'workingFolder is empty'],
    ['NUL in a secret', { script: '', secretEnv: { A: { secret: 'nul', key: 'k' } } }, 'nul/k holds a NUL character'],
    ['a secret that is not there', { script: '', secretEnv: { A: { secret: 'none', key: 'k' } } }, "doesn't exist"],
  ])('is rejected: %s', async (_, action, message) => {
    const run = await RunFixture.make();
    const outcome = await run.executor.execute(attemptAt(action as never), testContext(0, { 'nul/k': 'a\0' }));
    expect(outcome).toMatchObject({ state: 'failed', reason: 'rejected', message: expect.stringContaining(message) });
    await expect(stat(run.file('data'))).rejects.toThrow('ENOENT');
  });

  it('is rejected that is too long for the system', async () => {
    const run = await RunFixture.make();
    const outcome = await run.executor.execute(attemptAt({ args: ['true', 'x'.repeat(3_000_000)] }), testContext());
    expect(outcome).toMatchObject({
      state: 'failed',
      reason: 'rejected',
      message: expect.stringContaining('too long'),
    });
  });

  it('E13: of one attempt there is never a second one', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ script: `echo x >>${run.file('effects')}` });
    const both = [run.executor.execute(attempt, testContext()), run.executor.execute(attempt, testContext())];
    const outcomes = (await Promise.all(both)).map((outcome) => outcome.state);
    expect(outcomes.sort()).toEqual(['failed', 'succeeded']);
    expect(await readFile(run.file('effects'), 'utf8')).toBe('x\n');
  });

  it('leaves no open file and no listener', async () => {
    const run = await RunFixture.make();
    const context = testContext();
    const execute = (step: string) =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          run.executor.execute(attemptAt({ script: 'echo x; exit $WORKFLOW_INDEX' }, { step, index }), context),
        ),
      );
    await execute('first');
    const before = (await readdir('/proc/self/fd')).length;
    await execute('second');
    expect((await readdir('/proc/self/fd')).length).toBe(before);
    expect(getEventListeners(context.signal, 'abort')).toEqual([]);
  });

  it('is not begun by an executor that is closed', async () => {
    const run = await RunFixture.make();
    await run.executor.close();
    await run.executor.close();
    const attempt = attemptAt({ script: 'true' });
    await expect(run.executor.execute(attempt, testContext())).rejects.toMatchObject({ code: 'closed' });
    await expect(run.executor.recover(attempt)).rejects.toMatchObject({ code: 'closed' });
  });

  it('leaves nothing of a run that is forgotten', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ script: 'echo x; touch a', artifacts: ['a'] });
    await run.executor.execute(attempt, testContext());
    await run.executor.execute({ ...attempt, run: 'r2' }, testContext());
    await run.executor.forget('r1');
    for (const kind of ['attempts', 'logs', 'artifacts']) {
      expect(await readdir(run.file(`data/${kind}`))).toEqual(['r2']);
    }
  });
});
