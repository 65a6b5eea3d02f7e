import { InvalidBookmarkError, VersionConflictError } from '@cosi-ts/resource';
import { nextTurn, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { mapped, primary } from './inputs.js';
import { exclusive } from './outputs.js';
import type { QueueController } from './queue-controller.js';
import { type ReconcileResult, RequeueError, requeueAfter, SkipError } from './requeue.js';
import { breakable } from './testdata/breakable-core.js';
import { failing, recording, scripted } from './testdata/controllers.js';
import { eventually, Gate, harness, settled } from './testdata/harness.js';
import { Factors, Numbers } from './testdata/kinds.js';

describe('workers', () => {
  it('Q2: an item is never worked on twice at once, and a change during the work has it worked on once more', async () => {
    const gates = [new Gate(), new Gate()];
    let at = 0;
    let most = 0;
    let calls = 0;
    const versions: unknown[] = [];
    const controller: QueueController = {
      name: 'Slow',
      inputs: [primary(Numbers.kind)],
      concurrency: 5,
      async reconcile(pointer, { state }) {
        most = Math.max(most, ++at);
        versions.push((await state.get(pointer)).metadata.version);
        await gates[calls++]?.opened;
        at--;
      },
    };
    const { state, start } = harness([controller]);
    void start();
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(calls).toBe(1));
    for (let value = 2; value < 6; value++) {
      await state.modify(Numbers.at('a'), (draft) => {
        draft.spec.value = value;
      });
    }
    await settled();
    expect(calls).toBe(1);
    gates[0]?.open();
    await eventually(() => expect(versions).toEqual([1n, 5n]));
    gates[1]?.open();
    await settled();
    expect([calls, most]).toEqual([2, 1]);
  });

  it.each([1, 3])('Q3: works on as many items at once as its concurrency says: %i', async (concurrency) => {
    const gate = new Gate();
    let at = 0;
    const { controller } = recording({
      concurrency,
      async reconcile() {
        at++;
        await gate.opened;
        at--;
      },
    });
    const { state, start, runtime } = harness([controller]);
    for (let i = 0; i < 10; i++) await state.create(Numbers.new(`${i}`, { value: i }));
    void start();
    await eventually(() => expect(at).toBe(concurrency));
    await settled();
    expect(at).toBe(concurrency);
    expect(runtime.report().controllers[0]).toMatchObject({ inProgress: concurrency, queueLength: 10 - concurrency });
    gate.open();
    await eventually(() => expect(runtime.report().controllers[0]?.counts.reconciled).toBe(10));
  });

  it('Q3: works on one item at a time unless told otherwise', async () => {
    const gate = new Gate();
    let at = 0;
    const { controller } = recording({
      async reconcile() {
        at++;
        await gate.opened;
      },
    });
    const { state, start } = harness([controller]);
    for (const id of ['a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
    void start();
    await settled();
    expect(at).toBe(1);
    gate.open();
  });

  it('lets the event loop have its turns while there is always more to do', async () => {
    const bound = 1_000_000;
    let calls = 0;
    const { controller } = recording({
      reconcile(pointer) {
        if (++calls < bound) runtime.queue('Recorder', pointer);
      },
    });
    const { runtime, start } = harness([controller]);
    runtime.queue('Recorder', Numbers.at('a'));
    void start();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(bound / 10);
  });
});

describe('live items and the backlog', () => {
  /** Works on one item after the other, each when it is told to. */
  function stepping() {
    const begun: string[] = [];
    let current = new Gate();
    const { controller } = recording({
      async reconcile({ id }, { signal }) {
        begun.push(id);
        const gate = current;
        signal.addEventListener('abort', () => gate.open());
        await gate.opened;
      },
    });
    const step = async () => {
      const before = current;
      current = new Gate();
      before.open();
      await settled();
    };
    return { begun, controller, step };
  }

  it('Q8: a fresh change does not wait behind what was listed, be it ever so much', async () => {
    const { begun, controller, step } = stepping();
    const { state, start } = harness([controller]);
    for (let i = 0; i < 5000; i++) await state.create(Numbers.new(`${i}`.padStart(4, '0'), { value: i }));
    void start();
    await eventually(() => expect(begun).toEqual(['0000']));
    await state.create(Numbers.new('fresh', { value: 1 }));
    await state.addFinalizer(Numbers.at('4999'), 'changed');
    await settled();
    await step();
    await step();
    await step();
    expect(begun).toEqual(['0000', 'fresh', '4999', '0001']);
  });

  it('Q8: what a list brings after a break is of the backlog, what comes after it is not', async () => {
    const core = breakable(new InMemoryState());
    const { begun, controller, step } = stepping();
    const { state, start, clock } = harness([controller], { core: wrapState(core) });
    void start();
    await settled();
    core.cut(new InvalidBookmarkError('it is not kept any more'));
    for (const id of ['a', 'b', 'c']) await state.create(Numbers.new(id, { value: 1 }));
    await clock.advance(0);
    await eventually(() => expect(begun).toEqual(['a']));
    await state.create(Numbers.new('fresh', { value: 1 }));
    await settled();
    await step();
    await step();
    expect(begun).toEqual(['a', 'fresh', 'b']);
  });

  it('Q8: the backlog goes on while there is always something fresh', async () => {
    const { begun, controller, step } = stepping();
    const { state, start, runtime } = harness([controller]);
    for (let i = 0; i < 3; i++) await state.create(Numbers.new(`listed ${i}`, { value: i }));
    void start();
    await settled();
    for (let i = 0; begun.filter((id) => id.startsWith('listed')).length < 3; i++) {
      expect(i).toBeLessThan(30);
      for (let j = 0; j < 3; j++) runtime.queue('Recorder', Numbers.at(`fresh ${i} ${j}`));
      await step();
    }
  });
});

describe('failures, requeues and skips', () => {
  async function begun(controller: QueueController, id = 'a') {
    const made = harness([controller]);
    await made.state.create(Numbers.new(id, { value: 1 }));
    void made.start();
    await settled();
    const counts = () => made.runtime.report().controllers[0]?.counts;
    return { ...made, counts };
  }

  it('Q5: a failing item is tried again after a backoff that doubles up to a minute', async () => {
    const { attempts, controller } = scripted(...Array.from({ length: 10 }, () => failing));
    const { clock } = await begun(controller);
    for (const delayMs of [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      const before = attempts.length;
      await clock.advance(delayMs - 1);
      expect(attempts.length).toBe(before);
      await clock.advance(1);
      expect(attempts.length).toBe(before + 1);
    }
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('Q5: delays of the backoff are spread by jitter', async () => {
    const delays: number[] = [];
    for (const float of [0, 0.999999]) {
      const { controller } = scripted(failing);
      const { logger, state, start } = harness([controller], {
        random: { float: () => float, bytes: (length) => new Uint8Array(length) },
      });
      await state.create(Numbers.new('a', { value: 1 }));
      void start();
      await eventually(() => expect(logger.at('error')).toHaveLength(1));
      delays.push(Math.round(logger.at('error')[0]?.facts.retryInMs as number));
    }
    expect(delays).toEqual([400, 600]);
  });

  it('Q5: other items do not wait for one that fails', async () => {
    const done: string[] = [];
    const { controller } = recording({
      reconcile({ id }) {
        if (id === 'a') failing();
        done.push(id);
      },
    });
    const { state } = await begun(controller);
    for (const id of ['b', 'c']) await state.create(Numbers.new(id, { value: 1 }));
    await eventually(() => expect(done).toEqual(['b', 'c']));
  });

  it('Q5, Q6: success and skip clear the backoff', async () => {
    const skipping = () => {
      throw new SkipError('not now');
    };
    const good = () => undefined;
    const { attempts, controller } = scripted(failing, failing, good, failing, skipping, failing);
    const { clock, runtime } = await begun(controller);
    await clock.advance(500);
    await clock.advance(1000);
    for (let i = 0; i < 3; i++) {
      runtime.queue('Scripted', Numbers.at('a'));
      await settled();
    }
    expect(attempts).toEqual([1, 2, 3, 1, 2, 1]);
  });

  it('Q5: a change to an item that waits for its backoff runs it at once', async () => {
    const { attempts, controller } = scripted(failing);
    const { state, clock } = await begun(controller);
    expect(attempts).toEqual([1]);
    await state.addFinalizer(Numbers.at('a'), 'a change');
    await eventually(() => expect(attempts).toEqual([1, 2]));
    await clock.advance(10_000);
    expect(attempts).toEqual([1, 2]);
  });

  it('Q5: a requeue runs the item again after its time, and is no failure', async () => {
    const thrown = () => {
      throw new RequeueError(3000);
    };
    const { attempts, controller } = scripted(() => requeueAfter(5000), thrown);
    const { clock, counts, logger } = await begun(controller);
    await clock.advance(4999);
    expect(attempts).toEqual([1]);
    await clock.advance(1);
    expect(attempts).toEqual([1, 1]);
    await clock.advance(3000);
    expect(attempts).toEqual([1, 1, 1]);
    expect(counts()).toMatchObject({ reconciled: 3, failed: 0, requeued: 2 });
    expect(logger.at('error')).toEqual([]);
  });

  it('Q5: a requeue with an error counts as a failure, and still has its own time', async () => {
    const cause = new Error('the machine is busy');
    const { attempts, controller } = scripted(() => {
      throw new RequeueError(7000, { cause });
    });
    const { clock, counts, logger } = await begun(controller);
    expect(counts()).toMatchObject({ failed: 1, requeued: 1 });
    expect(logger.at('error')[0]?.facts).toMatchObject({ err: cause, retryInMs: 7000 });
    await clock.advance(7000);
    expect(attempts).toEqual([1, 2]);
  });

  it('C17: a requeue reaches beyond the host timers, and NaN is a failure', async () => {
    const month = 31 * 24 * 3600 * 1000;
    const { attempts, controller } = scripted(
      () => requeueAfter(month),
      () => ({ requeueAfterMs: Number.NaN }),
    );
    const { clock, logger, counts } = await begun(controller);
    expect(() => requeueAfter(Number.POSITIVE_INFINITY)).toThrow(RangeError);
    await clock.advance(month - 1);
    expect(attempts).toEqual([1]);
    await clock.advance(1);
    expect(attempts).toEqual([1, 1]);
    expect(logger.at('error')[0]?.facts.err).toBeInstanceOf(RangeError);
    expect(counts()).toMatchObject({ failed: 1, requeued: 1 });
  });

  it('Q6: a skip is logged as such, is no failure, and is counted apart', async () => {
    const { controller } = scripted(() => {
      throw new SkipError('the image is unknown');
    });
    const { counts, logger, clock } = await begun(controller);
    expect(counts()).toMatchObject({ reconciled: 1, failed: 0, skipped: 1 });
    expect(logger.at('error')).toEqual([]);
    expect(logger.records.find(({ message }) => message === 'skipped')?.facts).toMatchObject({
      controller: 'Scripted',
      resource: 'Numbers.test.cosi.dev(test/a)',
      reason: 'the image is unknown',
    });
    expect(clock.timers).toBe(2); // of the deadlines, and of the look at the event loop
  });

  it('Q10: a conflict is neither swallowed nor tried again at once; the change that removes its cause wakes the item', async () => {
    const conflict = () => {
      throw new VersionConflictError(Numbers.at('a'), 1n, 2n);
    };
    const { attempts, controller } = scripted(conflict, conflict);
    const { counts, clock, state, logger } = await begun(controller);
    expect(attempts).toEqual([1]);
    expect(logger.at('error')[0]?.facts).toMatchObject({ err: { code: 'version-conflict' }, retryInMs: 500 });
    await clock.advance(499);
    expect(attempts).toEqual([1]);
    await clock.advance(1);
    expect(attempts).toEqual([1, 2]);
    await state.addFinalizer(Numbers.at('a'), 'the cause is gone');
    await eventually(() => expect(attempts).toEqual([1, 2, 3]));
    expect(counts()).toMatchObject({ failed: 2, reconciled: 3 });
  });

  it('C14: whatever is thrown, now or later, error or not, is logged with stack, controller and resource', async () => {
    const throws: (() => ReconcileResult | Promise<ReconcileResult>)[] = [
      failing,
      async () => failing(),
      () => {
        throw 'only a text';
      },
      () => Promise.reject(undefined),
      () => {
        throw Object.create(null);
      },
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: what user code may give
        get then(): never {
          throw new Error('even its then throws');
        },
        requeueAfterMs: 0,
      }),
    ];
    for (const thrown of throws) {
      const { controller } = scripted(thrown);
      const { logger, runtime } = await begun(controller);
      const record = logger.at('error')[0];
      expect(record?.facts).toMatchObject({ controller: 'Scripted', resource: 'Numbers.test.cosi.dev(test/a)' });
      const err = record?.facts.err;
      expect(err).toBeInstanceOf(Error);
      expect(err).toMatchObject({ stack: expect.stringMatching(/^(Type)?Error: .+\n +at /) });
      const report = runtime.report().controllers[0];
      expect(report).toMatchObject({ status: 'running', counts: { failed: 1 } });
      expect(report?.lastError).toMatchObject({
        message: (err as Error).message,
        resource: { namespace: 'test', type: Numbers.type, id: 'a' },
        at: '2000-01-01T00:00:00Z',
      });
    }
  });

  it('C14: errors of mappers and hooks are logged too, and stop nothing', async () => {
    const { calls, controller } = recording({
      inputs: [primary(Numbers.kind), mapped(Factors.kind)],
      mapInput: () => failing(),
      runHook: async () => failing(),
      shutdownHook: () => failing(),
    });
    const { state, stop, logger } = await begun(controller);
    await state.create(Factors.new('f', { factor: 1 }));
    await settled();
    expect(calls).toEqual(['a']);
    await stop();
    expect(logger.at('error').map(({ message }) => message)).toEqual([
      'the run hook failed',
      'failed',
      'the shutdown hook failed',
    ]);
  });
});

describe('the deadline', () => {
  it('Q9: work past its deadline is aborted and counted, others go on, and it goes to backoff when it has ended', async () => {
    const calls: string[] = [];
    const ended = new Gate();
    let reason: unknown;
    const { controller } = recording({
      reconcileDeadlineMs: 5000,
      async reconcile({ id }, { signal }) {
        calls.push(id);
        if (id !== 'a' || calls.length > 1) return;
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        await ended.opened;
      },
    });
    const { state, start, clock, runtime } = harness([controller]);
    for (const id of ['a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
    void start();
    await settled();
    expect(calls).toEqual(['a']);
    await clock.advance(5000);
    expect(reason).toMatchObject({ code: 'runtime/deadline' });
    expect(calls).toEqual(['a', 'b']);
    expect(runtime.report().controllers[0]).toMatchObject({
      overdue: [{ id: 'a' }],
      counts: { timedOut: 1, failed: 1 },
    });
    await state.addFinalizer(Numbers.at('a'), 'a change');
    await settled();
    expect(calls).toEqual(['a', 'b']);
    ended.open();
    await eventually(() => expect(calls).toEqual(['a', 'b', 'a']));
    expect(runtime.report().controllers[0]?.overdue).toEqual([]);
  });

  it('Q9: the end of one piece of work is that of no other, whatever they use', async () => {
    const signals = new Map<string, AbortSignal>();
    const read: string[] = [];
    const { controller } = recording({
      reconcileDeadlineMs: 1000,
      async reconcile({ id }, context) {
        if (id === 'shows') signals.set(id, context.signal);
        await context.state.find(Numbers.at(id));
        read.push(id);
        if (id === 'slow') await context.state.watchFor(Numbers.at('never'), { events: ['created'] });
      },
    });
    const { state, start, clock, runtime } = harness([controller]);
    void start();
    for (const id of ['first', 'shows', 'second', 'slow', 'after', 'last']) {
      await state.create(Numbers.new(id, { value: 1 }));
      await settled();
    }
    await clock.advance(1000);
    expect(read).toEqual(['first', 'shows', 'second', 'slow', 'after', 'last']);
    expect(signals.get('shows')?.aborted).toBe(false);
    expect(runtime.report().controllers[0]?.counts).toMatchObject({ timedOut: 1, failed: 1 });
  });

  it('Q9: an aborted call can write no more', async () => {
    const goOn = new Gate();
    let refused: unknown;
    const { controller } = recording({
      reconcileDeadlineMs: 1000,
      outputs: [exclusive(Factors)],
      async reconcile({ id }, { state }) {
        await goOn.opened;
        await state.create(Factors.new(id, { factor: 1 })).catch((error) => {
          refused = error;
        });
      },
    });
    const { state, start, clock } = harness([controller]);
    await state.create(Numbers.new('a', { value: 1 }));
    void start();
    await settled();
    await clock.advance(1000);
    goOn.open();
    await eventually(() => expect(refused).toMatchObject({ code: 'runtime/deadline' }));
    expect(await state.list(Factors.kind)).toEqual([]);
  });
});
