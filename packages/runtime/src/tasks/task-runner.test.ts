import { isClosed } from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, Gate, RecordingLogger, settled, steadyRandom } from '../testdata/harness.js';
import type { TaskContext, TaskFunction } from './task.js';
import type { TaskRunnerOptions } from './task-options.js';
import { TaskRunner } from './task-runner.js';

interface Spec {
  readonly port: number;
}

function setup(run: TaskFunction<Spec>, options: TaskRunnerOptions<Spec> = {}) {
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const tasks = new TaskRunner<Spec>(run, { clock, logger, random: steadyRandom, ...options });
  onTestFinished(() => tasks.close());
  return { clock, logger, tasks };
}

/** Tasks that do nothing until they are told to end, and note what happens to them. */
function noting() {
  const notes: string[] = [];
  const run = async ({ id, spec, signal }: TaskContext<Spec>) => {
    notes.push(`+${id}:${spec.port}`);
    await aborted(signal);
    notes.push(`-${id}:${spec.port}`);
  };
  return { notes, run };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const of = (tasks: Record<string, number>) => Object.entries(tasks).map(([id, port]) => [id, { port }] as const);

describe('TaskRunner', () => {
  it('C13: starts the missing, stops the superfluous and waits for them, and leaves the rest alone', async () => {
    const { notes, run } = noting();
    const { tasks } = setup(run);
    expect(await tasks.reconcile(of({ a: 1, b: 2 }))).toBe(true);
    await settled();
    expect(notes).toEqual(['+a:1', '+b:2']);
    expect(await tasks.reconcile(of({ b: 2, c: 3 }))).toBe(true);
    expect(notes).toContain('-a:1');
    await settled();
    expect(notes).toEqual(['+a:1', '+b:2', '-a:1', '+c:3']);
    expect(tasks.report().map(({ id, status }) => [id, status])).toEqual([
      ['b', 'running'],
      ['c', 'running'],
    ]);
  });

  it('C13: replaces a task whose spec changed, when the one before has ended', async () => {
    const gate = new Gate();
    const notes: string[] = [];
    const { tasks } = setup(async ({ spec, signal }) => {
      notes.push(`+${spec.port}`);
      await aborted(signal);
      await gate.opened;
      notes.push(`-${spec.port}`);
    });
    await tasks.reconcile(of({ a: 1 }));
    await settled();
    const replaced = tasks.reconcile(of({ a: 2 }));
    await settled();
    expect(notes).toEqual(['+1']);
    expect(tasks.report()).toMatchObject([{ id: 'a', status: 'stopping' }]);
    gate.open();
    expect(await replaced).toBe(true);
    await settled();
    expect(notes).toEqual(['+1', '-1', '+2']);
  });

  it('C13: what makes a spec another one can be said', async () => {
    const { notes, run } = noting();
    const { tasks } = setup(run, { equal: (a, b) => Math.trunc(a.port / 10) === Math.trunc(b.port / 10) });
    await tasks.reconcile(of({ a: 11 }));
    await tasks.reconcile(of({ a: 12 }));
    await tasks.reconcile(of({ a: 22 }));
    await settled();
    expect(notes).toEqual(['+a:11', '-a:11', '+a:22']);
  });

  it('C13: what equal throws comes out, and nothing has changed', async () => {
    const { notes, run } = noting();
    const { tasks } = setup(run, {
      equal: () => {
        throw new Error('beyond compare');
      },
    });
    await tasks.reconcile(of({ a: 1 }));
    await settled();
    await expect(tasks.reconcile(of({ a: 1, b: 2 }))).rejects.toThrow('beyond compare');
    await settled();
    expect(notes).toEqual(['+a:1']);
  });

  it('C13: restarts a crashed task with backoff and jitter, without a limit, and shows it', async () => {
    const attempts: number[] = [];
    const { clock, logger, tasks } = setup(({ attempt }) => {
      attempts.push(attempt);
      throw new Error('no luck');
    });
    await tasks.reconcile(of({ a: 1 }));
    await settled();
    expect(tasks.report()).toMatchObject([{ status: 'waiting', restarts: 0, since: '2000-01-01T00:00:00Z' }]);
    await clock.advance(500 + 1000 + 2000);
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(tasks.report()).toMatchObject([
      { status: 'waiting', restarts: 3, since: '2000-01-01T00:00:03.5Z', lastError: { message: 'no luck' } },
    ]);
    expect(logger.at('error').map(({ facts }) => [facts.task, facts.retryInMs])).toEqual([
      ['a', 500],
      ['a', 1000],
      ['a', 2000],
      ['a', 4000],
    ]);
  });

  it('C13: a task begins with the shortest delay again after a minute of health, when it says so, and with a new spec', async () => {
    let healthyMs = 0;
    const { clock, logger, tasks } = setup(async ({ attempt, spec, resetRestartBackoff }) => {
      if (healthyMs > 0) await new Promise<void>((resolve) => clock.schedule(healthyMs, resolve));
      if (spec.port === 3 && attempt === 2) resetRestartBackoff();
      throw new Error('no luck');
    });
    const delays = () => logger.records.splice(0).map(({ facts }) => facts.retryInMs);
    await tasks.reconcile(of({ a: 1 }));
    await clock.advance(500);
    expect(delays()).toEqual([500, 1000]);
    healthyMs = 60_000;
    await clock.advance(61_000);
    expect(delays()).toEqual([500]);
    healthyMs = 0;
    await clock.advance(500);
    expect(delays()).toEqual([1000]);
    await tasks.reconcile(of({ a: 2 }));
    await settled();
    expect(delays()).toEqual([500]);
    await tasks.reconcile(of({ a: 3 }));
    await clock.advance(1000);
    expect(delays()).toEqual([500, 500, 500]);
  });

  it('C13: a task that returns has ended, until it is wanted with another spec', async () => {
    const runs: number[] = [];
    const { clock, tasks } = setup(({ spec }) => void runs.push(spec.port));
    await tasks.reconcile(of({ a: 1 }));
    await clock.advance(100_000);
    await tasks.reconcile(of({ a: 1 }));
    await settled();
    expect(runs).toEqual([1]);
    expect(tasks.report()).toMatchObject([{ status: 'ended', restarts: 0, lastError: undefined }]);
    await tasks.reconcile(of({ a: 2 }));
    await settled();
    expect(runs).toEqual([1, 2]);
    expect(await tasks.reconcile([])).toBe(true);
    expect(tasks.report()).toEqual([]);
  });

  it('C13: a task that ignores its signal is waited for up to the grace time, shown, and never doubled', async () => {
    const gate = new Gate();
    const runs: number[] = [];
    const { clock, logger, tasks } = setup(
      async ({ spec }) => {
        runs.push(spec.port);
        await gate.opened;
      },
      { stopGraceMs: 3000 },
    );
    await tasks.reconcile(of({ a: 1 }));
    await settled();
    const replaced = tasks.reconcile(of({ a: 2 }));
    await clock.advance(2999);
    expect(tasks.report()).toMatchObject([{ status: 'stopping' }]);
    await clock.advance(1);
    expect(await replaced).toBe(false);
    expect(tasks.report()).toMatchObject([{ status: 'stuck', since: '2000-01-01T00:00:03Z' }]);
    expect(logger.at('error').at(-1)).toMatchObject({ facts: { task: 'a', graceMs: 3000 } });
    expect(await tasks.reconcile(of({ a: 2 }))).toBe(false);
    expect(runs).toEqual([1]);
    gate.open();
    await eventually(() => expect(runs).toEqual([1, 2]));
    expect(await tasks.reconcile(of({ a: 2 }))).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('C13: single tasks are started and stopped beside the set', async () => {
    const { notes, run } = noting();
    const { tasks } = setup(run);
    await tasks.start('a', { port: 1 });
    await tasks.start('b', { port: 2 });
    await tasks.start('a', { port: 1 });
    await tasks.start('a', { port: 3 });
    expect(await tasks.stop('b')).toBe(true);
    expect(await tasks.stop('nobody')).toBe(true);
    expect(notes.filter((note) => note.includes('a'))).toEqual(['+a:1', '-a:1', '+a:3']);
    expect(tasks.report().map(({ id }) => id)).toEqual(['a']);
  });

  it('C13: closing ends every task, also one that waits for its backoff, and leaves no timer', async () => {
    const { notes, run } = noting();
    const { clock, tasks } = setup((context) => {
      if (context.id === 'failing') throw new Error('no luck');
      return run(context);
    });
    await tasks.reconcile(of({ a: 1, failing: 2 }));
    await settled();
    expect(clock.timers).toBe(1);
    await tasks.close();
    expect(notes).toEqual(['+a:1', '-a:1']);
    expect(clock.timers).toBe(0);
    expect(tasks.report()).toEqual([]);
    await expect(tasks.reconcile(of({ a: 1 }))).rejects.toSatisfy(isClosed);
    await expect(tasks.start('a', { port: 1 })).rejects.toSatisfy(isClosed);
    await tasks.close();
  });

  it('C13: the signal of a call ends the waiting only, and is let go of', async () => {
    const gate = new Gate();
    const { tasks } = setup(() => gate.opened);
    await tasks.reconcile(of({ a: 1 }));
    await settled();
    const aborter = new AbortController();
    const { signal } = aborter;
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    expect(await tasks.reconcile(of({ a: 1 }), { signal })).toBe(true);
    expect(listeners).toBe(0);
    const stopped = tasks.reconcile([], { signal });
    aborter.abort(new Error('in a hurry'));
    await expect(stopped).rejects.toThrow('in a hurry');
    expect(tasks.report()).toMatchObject([{ status: 'stopping' }]);
    gate.open();
    await eventually(() => expect(tasks.report()).toEqual([]));
  });

  it('C13: whatever is desired in whatever order, in the end exactly that runs, and never two of one id at once', async () => {
    const step = fc.oneof(
      fc.record({
        type: fc.constant('reconcile' as const),
        desired: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 2 })),
      }),
      fc.record({ type: fc.constant('turn' as const) }),
      fc.record({ type: fc.constant('advance' as const), ms: fc.constantFrom(1, 600, 20_000) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
        async (steps, moods) => {
          const alive = new Map<string, number>();
          const doubled: string[] = [];
          const { clock, tasks } = setup(async ({ id, spec, signal }) => {
            if (alive.has(id)) doubled.push(id);
            alive.set(id, spec.port);
            try {
              const mood = moods.next().value;
              if (mood === 0) throw new Error('no luck');
              await aborted(signal);
              // Some are slow to end, a few slower than the grace time.
              if (mood > 1) await new Promise<void>((resolve) => clock.schedule(mood === 2 ? 100 : 15_000, resolve));
            } finally {
              alive.delete(id);
            }
          });
          let desired: Record<string, number> = {};
          for (const each of steps) {
            if (each.type === 'turn') await settled();
            else if (each.type === 'advance') await clock.advance(each.ms);
            else {
              desired = each.desired;
              void tasks.reconcile(of(desired));
            }
          }
          await clock.advance(20_000);
          for (let tries = 0; tries < 50 && alive.size < Object.keys(desired).length; tries++)
            await clock.advance(70_000);
          expect(Object.fromEntries(alive)).toEqual({ ...desired });
          expect(doubled).toEqual([]);
          const closed = tasks.close();
          await clock.advance(20_000);
          await closed;
          expect(alive.size).toBe(0);
          expect(clock.timers).toBe(0);
          expect(tasks.report()).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
