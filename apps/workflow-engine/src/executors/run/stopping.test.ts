import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { StopReason } from '../executor.js';
import { attemptAt, fileText, testContext } from '../testing/attempts.js';
import { isThere, shells, until } from '../testing/processes.js';
import { RunFixture } from '../testing/run-fixture.js';
import { isGroupEmpty, membersOf } from './process-group.js';

// Processes take their time on a machine that has others to do.
vi.setConfig({ testTimeout: 30_000 });

const cancelled = new StopReason('cancelled', 'the run was cancelled');
const outcome = { state: 'failed', reason: 'cancelled', message: 'the run was cancelled' };

describe.each(shells)('by %s', (_, shell) => {
  it('E17: a process is asked to end, and may clean up', async () => {
    const run = await RunFixture.make({ shell });
    const ready = run.file('ready');
    const script = `trap 'echo cleaned; exit 0' TERM; echo x >${ready}; while :; do sleep 0.02; done`;
    const context = testContext();
    const attempt = attemptAt({ script });
    const execution = run.executor.execute(attempt, context);
    await fileText(ready);
    context.stop.abort(cancelled);
    expect(await execution).toEqual(outcome);
    // The shell may say that the signal has ended what it waited for.
    expect((await run.log(attempt)).filter((line) => !line.startsWith('stderr'))).toEqual([
      'engine the process is asked to end: the run was cancelled',
      'stdout cleaned',
      'engine the run was cancelled',
    ]);
    expect(isGroupEmpty(await context.begun)).toBe(true);
  });

  it('E17: what does not end within the grace time is ended by force, with every process of its group', async () => {
    const run = await RunFixture.make({ shell });
    const pids = run.file('pids');
    // Each ignores the signal, and the last one has lost its parent.
    const script = `
trap '' TERM
(sh -c 'while :; do sleep 1; done' & echo $! >>${pids})
sh -c 'while :; do sleep 1; done' &
echo $! >>${pids}
echo done >>${pids}
while :; do sleep 1; done`;
    const context = testContext(50);
    const attempt = attemptAt({ script });
    const execution = run.executor.execute(attempt, context);
    await until(async () => (await fileText(pids)).includes('done'));
    context.stop.abort(new StopReason('timeout', 'it took longer than 1 s'));
    expect(await execution).toEqual({ state: 'failed', reason: 'timeout', message: 'it took longer than 1 s' });
    expect(isGroupEmpty(await context.begun)).toBe(true);
    const others = (await readFile(pids, 'utf8')).split('\n').slice(0, 2).map(Number);
    expect(others.filter((pid) => isThere(pid))).toEqual([]);
    expect(await run.log(attempt)).toContain('engine the process is ended by force');
  });

  it('what a process leaves behind in its group is ended too', async () => {
    const run = await RunFixture.make({ shell });
    const context = testContext(50);
    const attempt = attemptAt({
      script: 'sh -c \'trap "" TERM; while :; do sleep 1; done\' >/dev/null 2>&1 & echo a=1 >$WORKFLOW_OUTPUT',
    });
    expect(await run.executor.execute(attempt, context)).toEqual({ state: 'succeeded', outputs: { a: '1' } });
    expect(isGroupEmpty(await context.begun)).toBe(true);
  });

  it('a process that ends those that watch over it has failed', async () => {
    const run = await RunFixture.make({ shell });
    const context = testContext();
    const parent = attemptAt({ script: 'kill -9 $PPID; echo done' });
    expect(await run.executor.execute(parent, context)).toEqual({
      state: 'failed',
      reason: 'exit',
      message: 'the exit code is not known: the process that watched over it was ended, or the disk is full',
    });
    expect(await run.log(parent)).toContain('stdout done');
    expect(isGroupEmpty(await context.begun)).toBe(true);
    const all = attemptAt({ script: 'kill -9 0' }, { attempt: 2 });
    expect(await run.executor.execute(all, testContext())).toMatchObject({ reason: 'exit' });
  });

  it('what writes to the output from a session of its own does not hold up the end for long', async () => {
    const run = await RunFixture.make({ shell });
    const context = testContext(60_000);
    const attempt = attemptAt({
      script: `setsid sh -c 'echo $$ >${run.file('pid')}; while :; do sleep 1; done' &
until [ -s ${run.file('pid')} ]; do sleep 0.02; done
echo a=1 >$WORKFLOW_OUTPUT`,
    });
    expect(await run.executor.execute(attempt, context)).toEqual({ state: 'succeeded', outputs: { a: '1' } });
    expect(isGroupEmpty(await context.begun)).toBe(true);
    const stranger = Number(await fileText(run.file('pid')));
    expect(isThere(stranger)).toBe(true);
    process.kill(-stranger, 'SIGKILL');
  });

  it('signals to the whole group end the command, not who watches over it', async () => {
    const run = await RunFixture.make({ shell });
    for (const [i, signal] of ['HUP', 'INT', 'TERM', 'USR2'].entries()) {
      const attempt = attemptAt(
        { args: ['node', '-e', `process.kill(0, 'SIG${signal}'); setInterval(() => {}, 1e6)`] },
        { attempt: i + 1 },
      );
      const code = { HUP: 129, INT: 130, TERM: 143, USR2: 140 }[signal];
      expect(await run.executor.execute(attempt, testContext())).toMatchObject({ reason: 'exit', exitCode: code });
    }
  });
});

describe('stopping', () => {
  it('E17: nothing is started that was stopped before', async () => {
    const run = await RunFixture.make();
    const context = testContext();
    context.stop.abort(cancelled);
    expect(await run.executor.execute(attemptAt({ script: `echo x >${run.file('effect')}` }), context)).toEqual(
      outcome,
    );
    await expect(readFile(run.file('effect'))).rejects.toThrow('ENOENT');
  });

  it('stops a process that was stopped by a signal', async () => {
    const run = await RunFixture.make();
    const context = testContext();
    const execution = run.executor.execute(attemptAt({ script: 'kill -STOP $$' }), context);
    const pid = await context.begun;
    const isStopped = (other: number) => readFileSync(`/proc/${other}/stat`, 'latin1').includes(') T ');
    await until(() => membersOf(pid).some(isStopped));
    context.stop.abort(cancelled);
    expect(await execution).toEqual(outcome);
    expect(isGroupEmpty(pid)).toBe(true);
  });

  it('at any moment leaves nothing, and begins nothing after it has settled', async () => {
    const run = await RunFixture.make();
    for (let i = 1; i <= 20; i++) {
      const context = testContext(2000);
      const effect = run.file(`effect-${i}`);
      const execution = run.executor.execute(
        attemptAt({ script: `echo x >${effect}; sleep 100` }, { attempt: i }),
        context,
      );
      // As many turns of the loop later as the round has: while files are made, at the start, or after it.
      for (let turn = 0; turn < i * 2; turn++) await new Promise((resolve) => setImmediate(resolve));
      context.stop.abort(cancelled);
      expect(await execution).toEqual(outcome);
      if (context.progress.pid !== undefined) expect(isGroupEmpty(context.progress.pid)).toBe(true);
    }
  });
});
