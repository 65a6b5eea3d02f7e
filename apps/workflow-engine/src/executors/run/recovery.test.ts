import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Attempt, StopReason } from '../executor.js';
import { abandoned, running, waiting } from '../testing/abandoned.js';
import { attemptAt, fileText, testContext } from '../testing/attempts.js';
import { commandOf, isThere, shells, until } from '../testing/processes.js';
import { RunFixture } from '../testing/run-fixture.js';
import { isGroupEmpty, membersOf } from './process-group.js';
import { shim, shimName } from './shim.js';

// Processes take their time on a machine that has others to do.
vi.setConfig({ testTimeout: 30_000 });

async function exited(run: RunFixture, attempt: Attempt): Promise<void> {
  await until(() =>
    readFile(run.attemptFile(attempt, 'exit'), 'utf8').then(
      (text) => text.endsWith('\n'),
      () => false,
    ),
  );
}

/** Starts the shim for an attempt as an engine would. */
function shimOf(shell: readonly string[], folder: string, ...command: string[]): ChildProcess {
  const [program, ...args] = shell as [string, ...string[]];
  return spawn(program, [...args, '-c', shim, shimName, folder, ...command], { detached: true, stdio: 'ignore' });
}

describe('what an engine finds of an attempt that another one began', () => {
  it('E18: nothing, when it was killed before it began', async () => {
    const run = await RunFixture.make();
    expect(await run.executor.recover(attemptAt({ script: 'true' }))).toEqual({ found: 'unknown' });
    await expect(stat(run.file('data'))).rejects.toThrow('ENOENT');
    expect(await run.executor.recover(attemptAt({ wrong: true }))).toEqual({ found: 'unknown' });
  });

  it.each(shells)('E13: nothing, and what was on its way then begins nothing (%s)', async (_, shell) => {
    const run = await RunFixture.make({ shell });
    const attempt = attemptAt({ script: 'true' });
    const folder = run.paths.attempt(attempt);
    await mkdir(folder, { recursive: true });
    expect(await run.executor.recover(attempt)).toEqual({ found: 'unknown' });
    const late = shimOf(shell, folder, 'touch', run.file('effect'));
    expect(await once(late, 'exit')).toEqual([125, null]);
    await expect(stat(run.file('effect'))).rejects.toThrow('ENOENT');
    expect(await run.executor.recover(attempt)).toEqual({ found: 'unknown' });
  });

  it('E13: of an engine that gives up and a shim that begins, one wins', async () => {
    const run = await RunFixture.make();
    for (let i = 1; i <= 30; i++) {
      const attempt = attemptAt({ script: 'true' }, { attempt: i });
      const folder = run.paths.attempt(attempt);
      await mkdir(folder, { recursive: true });
      const child = shimOf(['/bin/sh'], folder, 'touch', run.file(`effect-${i}`));
      const ended = once(child, 'exit');
      // Later with each round, until it is after the beginning.
      for (let turn = 0; turn < i; turn++) await stat(folder);
      const { found } = await run.executor.recover(attempt);
      await ended;
      const hasEffect = await stat(run.file(`effect-${i}`)).then(
        () => true,
        () => false,
      );
      expect(hasEffect).toBe(found !== 'unknown');
    }
  });

  it('E18: a process that goes on, and its output from before and after', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run, 'echo after; echo a=1 >$WORKFLOW_OUTPUT');
    const pid = await abandoned(run, attempt);
    const { adopt } = running(await run.executor.recover(attempt));
    const context = testContext();
    const execution = adopt(context);
    await writeFile(run.file('go'), '');
    expect(await execution).toEqual({ state: 'succeeded', outputs: { a: '1' } });
    expect(await run.log(attempt)).toEqual(['stdout before', 'stdout after']);
    expect(context.progress).toEqual({ pid, log: 'r1/build/1.log' });
    expect(await readdir(run.paths.attempt(attempt))).not.toContain('work');
  });

  it('E18: the same again and again, each line of the log once', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({
      script: `for i in 1 2 3 4; do echo $i; until [ -e ${run.file('go')}$i ]; do sleep 0.02; done; done`,
    });
    await abandoned(run, attempt);
    for (const i of [1, 2, 3]) {
      const execution = running(await run.executor.recover(attempt))
        .adopt(testContext())
        .catch((error: Error) => error);
      await until(async () => (await run.log(attempt)).includes(`stdout ${i}`));
      await run.restart();
      expect(await execution).toMatchObject({ code: 'closed' });
      await writeFile(run.file(`go${i}`), '');
    }
    const last = running(await run.executor.recover(attempt)).adopt(testContext());
    await writeFile(run.file('go4'), '');
    expect((await last).state).toBe('succeeded');
    expect(await run.log(attempt)).toEqual(['stdout 1', 'stdout 2', 'stdout 3', 'stdout 4']);
  });

  it('E17: a process that goes on can be ended', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ script: "trap '' TERM; while :; do sleep 1; done" });
    const pid = await abandoned(run, attempt);
    const context = testContext(50);
    const execution = running(await run.executor.recover(attempt)).adopt(context);
    context.stop.abort(new StopReason('timeout', 'too long'));
    expect(await execution).toEqual({ state: 'failed', reason: 'timeout', message: 'too long' });
    expect(isGroupEmpty(pid)).toBe(true);
  });

  it('E18: a process that has ended meanwhile, with its outputs, artifacts, log and time', async () => {
    const run = await RunFixture.make();
    const given = waiting(run, 'echo after; echo a=1 >$WORKFLOW_OUTPUT; touch made');
    const attempt = { ...given, action: { ...(given.action as object), artifacts: ['made'] } };
    const pid = await abandoned(run, attempt);
    await writeFile(run.file('go'), '');
    await until(() => isGroupEmpty(pid));
    const endedAt = (await stat(run.attemptFile(attempt, 'exit'))).mtime;
    const found = { found: 'ended', outcome: { state: 'succeeded', outputs: { a: '1' } }, endedAt };
    expect(await run.executor.recover(attempt)).toEqual({ ...found, progress: { log: 'r1/build/1.log' } });
    expect(await run.log(attempt)).toEqual(['stdout before', 'stdout after']);
    expect(await readdir(run.paths.artifacts(attempt))).toEqual(['made']);
    // And the same another time, when the files of the process are gone.
    expect(await (await run.restart()).recover(attempt)).toMatchObject(found);
  });

  it('E18: a process that has failed meanwhile', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run, 'echo wrong >&2; exit 3');
    const pid = await abandoned(run, attempt);
    await writeFile(run.file('go'), '');
    await until(() => isGroupEmpty(pid));
    expect(await run.executor.recover(attempt)).toMatchObject({
      found: 'ended',
      outcome: { state: 'failed', reason: 'exit', message: 'exit code 3: wrong', exitCode: 3 },
    });
  });

  it('E18: a process with secrets that has ended meanwhile, of which nothing is shown before they are known', async () => {
    const run = await RunFixture.make();
    const given = waiting(run, 'echo $SECRET');
    const attempt = {
      ...given,
      action: { ...(given.action as object), secretEnv: { SECRET: { secret: 's', key: 'k' } } },
    };
    const pid = await abandoned(run, attempt, { 's/k': 'hunter2' });
    await writeFile(run.file('go'), '');
    await until(() => isGroupEmpty(pid));
    const { adopt } = running(await run.executor.recover(attempt));
    expect((await adopt(testContext(1000, { 's/k': 'hunter2' }))).state).toBe('succeeded');
    expect(await run.log(attempt)).toEqual(['stdout before', 'stdout ***']);
  });

  it('shows no output whose secrets are gone', async () => {
    const run = await RunFixture.make();
    const given = waiting(run, 'echo $SECRET');
    const attempt = {
      ...given,
      action: { ...(given.action as object), secretEnv: { SECRET: { secret: 's', key: 'k' } } },
    };
    await abandoned(run, attempt, { 's/k': 'hunter2' });
    await writeFile(run.file('go'), '');
    const { adopt } = running(await run.executor.recover(attempt));
    expect((await adopt(testContext())).state).toBe('succeeded');
    const log = await run.log(attempt);
    expect(log.join()).toContain('engine the rest of the output is not shown');
    expect(log.join()).not.toContain('hunter2');
  });

  it('E18: a process that goes on without the leader of its group', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run, 'echo after; echo a=1 >$WORKFLOW_OUTPUT');
    const pid = await abandoned(run, attempt);
    process.kill(pid, 'SIGKILL');
    await until(() => !isThere(pid));
    const execution = running(await run.executor.recover(attempt)).adopt(testContext());
    await writeFile(run.file('go'), '');
    expect(await execution).toEqual({ state: 'succeeded', outputs: { a: '1' } });
    expect(await run.log(attempt)).toEqual(['stdout before', 'stdout after']);
  });

  it('E13: what goes on without all that watched over it has to end before it is lost', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run);
    const pid = await abandoned(run, attempt);
    await fileText(run.attemptFile(attempt, 'stdout'));
    for (const watcher of watchersOf(pid)) process.kill(watcher, 'SIGKILL');
    const execution = running(await run.executor.recover(attempt)).adopt(testContext());
    expect(isGroupEmpty(pid)).toBe(false);
    await writeFile(run.file('go'), '');
    expect(await execution).toMatchObject({ state: 'failed', reason: 'lost' });
    expect(isGroupEmpty(pid)).toBe(true);
    expect(await run.executor.recover(attempt)).toEqual({ found: 'unknown' });
  });

  it('E17: what a process left behind in its group, after it has ended', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run, "sh -c 'while :; do sleep 1; done' >/dev/null 2>&1 & echo a=1 >$WORKFLOW_OUTPUT");
    const pid = await abandoned(run, attempt);
    await writeFile(run.file('go'), '');
    await exited(run, attempt);
    const { adopt } = running(await run.executor.recover(attempt));
    expect(await adopt(testContext())).toEqual({ state: 'succeeded', outputs: { a: '1' } });
    expect(isGroupEmpty(pid)).toBe(true);
  });

  it('E18: nothing, when everything of it was killed', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run);
    const pid = await abandoned(run, attempt);
    await fileText(run.attemptFile(attempt, 'stdout'));
    process.kill(-pid, 'SIGKILL');
    await until(() => isGroupEmpty(pid));
    expect(await run.executor.recover(attempt)).toEqual({ found: 'unknown' });
    expect(await run.log(attempt)).toContain('stdout before');
  });

  it('E18: nothing, when everything of it was killed that knew secrets; they are removed', async () => {
    const run = await RunFixture.make();
    const secretEnv = { SECRET: { secret: 's', key: 'k' } };
    const attempt = attemptAt({ script: 'echo $SECRET; sleep 100', secretEnv });
    const pid = await abandoned(run, attempt, { 's/k': 'hunter2' });
    expect(await fileText(run.attemptFile(attempt, 'stdout'))).toContain('hunter2');
    process.kill(-pid, 'SIGKILL');
    await until(() => isGroupEmpty(pid));
    expect(await run.executor.recover(attempt)).toEqual({ found: 'unknown' });
    expect(await readdir(run.paths.attempt(attempt))).not.toContain('stdout');
    expect((await run.log(attempt)).join()).not.toContain('hunter2');
    expect(await run.executor.recover(attempt)).toEqual({ found: 'unknown' });
    expect((await run.log(attempt)).filter((line) => line.startsWith('engine the attempt was lost'))).toHaveLength(1);
  });

  it('E16: that it was ended by force, when the engine was killed right after', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run);
    const pid = await abandoned(run, attempt);
    const stop = { state: 'failed', reason: 'timeout', message: 'too long' };
    await writeFile(run.attemptFile(attempt, 'stop'), JSON.stringify(stop));
    process.kill(-pid, 'SIGKILL');
    await until(() => isGroupEmpty(pid));
    expect(await run.executor.recover(attempt)).toMatchObject({ found: 'ended', outcome: stop });
  });

  it('E16: that it was to be ended, which is done then', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run);
    const pid = await abandoned(run, attempt);
    const stop = { state: 'failed', reason: 'timeout', message: 'too long' };
    await writeFile(run.attemptFile(attempt, 'stop'), JSON.stringify(stop));
    expect(await running(await run.executor.recover(attempt)).adopt(testContext())).toEqual(stop);
    expect(isGroupEmpty(pid)).toBe(true);
  });

  it.each<[string, (lines: string[]) => string[]]>([
    ['of another boot', ([pid = '', , stat = '']) => [pid, '00000000-0000-4000-8000-000000000000', stat, '']],
    ['another one by now', ([pid = '', boot = '', stat = '']) => [pid, boot, withStart(stat, '1'), '']],
    ['not written whole', ([pid = '']) => [pid]],
  ])('E18: nothing, when the process is %s; that one is left alone', async (_, changed) => {
    const run = await RunFixture.make();
    const attempt = waiting(run);
    const pid = await abandoned(run, attempt);
    const text = await readFile(run.attemptFile(attempt, `process.${pid}`), 'utf8');
    process.kill(-pid, 'SIGKILL');
    await until(() => isGroupEmpty(pid));
    // One that leads a group of its own, and does not belong to the attempt.
    const other = spawn('/bin/sleep', ['100'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void other.kill('SIGKILL'));
    await once(other, 'spawn');
    const lines = changed([String(other.pid), ...text.split('\n').slice(1)]);
    await rm(run.attemptFile(attempt, `process.${pid}`));
    await writeFile(run.attemptFile(attempt, `process.${other.pid}`), lines.join('\n'));
    expect(await run.executor.recover(attempt)).toEqual({ found: 'unknown' });
    expect(isThere(other.pid as number)).toBe(true);
  });

  it('E13: a group that another process leads by now is left alone', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run);
    const pid = await abandoned(run, attempt);
    process.kill(-pid, 'SIGKILL');
    await until(() => isGroupEmpty(pid));
    // A group whose leader is gone, as ours, but which never belonged to the attempt.
    const other = spawn('/bin/sh', ['-c', 'while :; do sleep 1; done & kill -9 $$'], {
      detached: true,
      stdio: 'ignore',
    });
    const group = other.pid as number;
    onTestFinished(() => void process.kill(-group, 'SIGKILL'));
    await once(other, 'exit');
    const [, boot = '', line = ''] = (await readFile(run.attemptFile(attempt, `process.${pid}`), 'utf8')).split('\n');
    await rm(run.attemptFile(attempt, `process.${pid}`));
    await writeFile(run.attemptFile(attempt, `process.${group}`), [group, boot, line, ''].join('\n'));
    expect(await run.executor.recover(attempt)).toEqual({ found: 'unknown' });
    expect(isGroupEmpty(group)).toBe(false);
  });
});

/** The shells between the engine and the command. */
function watchersOf(group: number): number[] {
  return membersOf(group).filter((pid) => commandOf(pid).includes(shimName));
}

function withStart(stat: string, start: string): string {
  const fields = stat.split(' ');
  fields[21] = start;
  return fields.join(' ');
}
