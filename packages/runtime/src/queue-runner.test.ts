import { VersionConflictError } from '@cosi-ts/resource';
import { nextTurn } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { mapped, mappedDestroyReady, primary } from './inputs.js';
import { fromResource, type InputMetadata, labelValue, noItems, sameId } from './mappers.js';
import { exclusive } from './outputs.js';
import type { QueueController, ReconcileContext } from './queue-controller.js';
import { type ReconcileResult, RequeueError, requeueAfter, SkipError } from './requeue.js';
import { eventually, Gate, harness, settled } from './testdata/harness.js';
import { Factors, Numbers } from './testdata/kinds.js';

/** A controller that notes the ids it is called for. */
function recording(more: Partial<QueueController> = {}) {
  const calls: string[] = [];
  const controller: QueueController = {
    name: 'Recorder',
    inputs: [primary(Numbers.kind)],
    reconcile: ({ id }) => void calls.push(id),
    ...more,
  };
  return { calls, controller };
}

/** A controller that does for the n-th call what the n-th function says, then nothing. */
function scripted(...script: ((context: ReconcileContext) => ReconcileResult | Promise<ReconcileResult>)[]) {
  const attempts: number[] = [];
  const controller: QueueController = {
    name: 'Scripted',
    inputs: [primary(Numbers.kind)],
    reconcile(_pointer, context) {
      attempts.push(context.attempt);
      return script[attempts.length - 1]?.(context);
    },
  };
  return { attempts, controller };
}

const failing = () => {
  throw new Error('no luck');
};

describe('inputs of a queue controller', () => {
  it('Q4: lists and queues every primary input at the start', async () => {
    const { calls, controller } = recording();
    const { state, start } = harness([controller]);
    for (const id of ['c', 'a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
    await state.create(Numbers.new('elsewhere', { value: 1 }, { namespace: 'other' }));
    void start();
    await eventually(() => expect(calls).toEqual(['a', 'b', 'c']));
  });

  it('Q1: reconciles primary items when they change, and gives typed pointers', async () => {
    const values: (number | undefined)[] = [];
    const { state, start, runtime } = harness();
    runtime.register({
      name: 'Typed',
      inputs: [primary(Numbers.kind)],
      async reconcile(pointer, context) {
        values.push((await context.state.find(pointer))?.spec.value);
      },
    });
    void start();
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(values).toEqual([1]));
    await state.modify(Numbers.at('a'), (draft) => {
      draft.spec.value = 2;
    });
    await eventually(() => expect(values).toEqual([1, 2]));
    await state.destroy(Numbers.at('a'));
    await eventually(() => expect(values).toEqual([1, 2, undefined]));
  });

  it('Q1: an input of one resource wakes for that one only', async () => {
    const { calls, controller } = recording({ inputs: [primary(Numbers.at('a'))] });
    const { state, start } = harness([controller]);
    void start();
    for (const id of ['a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
    await eventually(() => expect(calls).toEqual(['a']));
    await settled();
    expect(calls).toEqual(['a']);
  });

  it('Q1: maps changes of mapped inputs by what it is told of them', async () => {
    const told: InputMetadata[] = [];
    const { calls, controller } = recording({
      inputs: [primary(Numbers.kind), mapped(Factors.kind)],
      mapInput(metadata) {
        told.push(metadata);
        return ['x', 'y'].map((id) => Numbers.at(id));
      },
    });
    const { state, start, runtime } = harness([controller]);
    void start();
    await state.create(Factors.new('f', { factor: 2 }, { labels: { of: 'x' }, finalizers: ['held'] }));
    await eventually(() => expect(calls).toEqual(['x', 'y']));
    const { namespace, type } = Factors.kind;
    const at = { namespace, type, id: 'f', labels: { of: 'x' } };
    expect(told).toEqual([{ ...at, phase: 'running', finalizersEmpty: false }]);
    await state.teardown(Factors.at('f'));
    await state.removeFinalizer(Factors.at('f'), 'held');
    await eventually(() => expect(told.at(-1)).toEqual({ ...at, phase: 'tearingDown', finalizersEmpty: true }));
    await eventually(() =>
      expect(runtime.report().controllers[0]?.counts).toMatchObject({
        mappedIn: told.length,
        mappedOut: 2 * told.length,
      }),
    );
  });

  it('Q1: a destroy-ready input is mapped when its resource is tearing down without finalizers', async () => {
    const { calls, controller } = recording({
      inputs: [primary(Numbers.kind), mappedDestroyReady(Factors.kind, sameId(Numbers.kind))],
    });
    const { state, start } = harness([controller]);
    void start();
    await state.create(Factors.new('f', { factor: 2 }, { finalizers: ['held'] }));
    await state.teardown(Factors.at('f'));
    await settled();
    expect(calls).toEqual([]);
    await state.removeFinalizer(Factors.at('f'), 'held');
    await eventually(() => expect(calls).toEqual(['f']));
    await state.destroy(Factors.at('f'));
    await eventually(() => expect(calls).toEqual(['f', 'f']));
  });

  it('Q1: mapping to what is not primary is an error, tried again like others', async () => {
    const { controller } = recording({
      inputs: [primary(Numbers.kind), mapped(Factors.kind, sameId(Factors.kind))],
    });
    const { state, start, logger } = harness([controller]);
    void start();
    await state.create(Factors.new('f', { factor: 2 }));
    await eventually(() =>
      expect(logger.at('error')[0]?.facts).toMatchObject({
        controller: 'Recorder',
        resource: 'Factors.test.cosi.dev(test/f)',
        retryInMs: 500,
        err: { code: 'runtime/undeclared', message: expect.stringContaining('not its primary input') },
      }),
    );
  });

  it('Q1: the mappers by label, by resource, and to nothing', async () => {
    const { calls, controller } = recording({
      inputs: [primary(Numbers.kind), mapped(Factors.kind, labelValue(Numbers.kind, 'of'))],
    });
    const byResource = recording({
      name: 'ByResource',
      inputs: [
        primary(Numbers.kind),
        mapped(
          Factors.kind,
          fromResource(Factors.kind, ({ spec }) => [Numbers.at(`n${spec.factor}`)]),
        ),
      ],
    });
    const idle = recording({ name: 'Idle', inputs: [primary(Numbers.kind), mapped(Factors.kind, noItems)] });
    const { state, start } = harness([controller, byResource.controller, idle.controller]);
    void start();
    await state.create(Factors.new('f', { factor: 2 }, { labels: { of: 'x' } }));
    await state.create(Factors.new('g', { factor: 3 }));
    await eventually(() => expect([calls, byResource.calls]).toEqual([['x'], ['n2', 'n3']]));
    await state.destroy(Factors.at('g'));
    await settled();
    expect([calls, byResource.calls, idle.calls]).toEqual([['x'], ['n2', 'n3'], []]);
  });

  it('Q1: a mapped input that nothing maps is an error', () => {
    const { controller } = recording({ inputs: [primary(Numbers.kind), mapped(Factors.kind)] });
    expect(() => harness([controller])).toThrow('nothing maps its input Factors.test.cosi.dev(test)');
  });

  it('C3: inputs are replaced while it runs; a change after the call has resolved is not missed', async () => {
    const { calls, controller } = recording({ inputs: [primary(Numbers.at('none'))] });
    const { state, start, runtime } = harness();
    const handle = runtime.register(controller);
    void start();
    await state.create(Numbers.new('before', { value: 1 }));
    await handle.replaceInputs([primary(Numbers.kind), mapped(Factors.kind, sameId(Numbers.kind))]);
    expect(runtime.report().watches.map(({ type, status }) => [type, status])).toEqual([
      ['Factors.test.cosi.dev', 'live'],
      ['Numbers.test.cosi.dev', 'live'],
    ]);
    await state.create(Factors.new('mapped', { factor: 1 }));
    await eventually(() => expect(calls.sort()).toEqual(['before', 'mapped']));
    await handle.replaceInputs([primary(Numbers.at('only'))]);
    await state.create(Numbers.new('not', { value: 1 }));
    await state.create(Numbers.new('only', { value: 1 }));
    await eventually(() => expect(calls).toContain('only'));
    expect(calls).not.toContain('not');
    expect(runtime.report().watches.map(({ type }) => type)).toEqual(['Numbers.test.cosi.dev']);
    await expect(handle.replaceInputs([])).rejects.toThrow(TypeError);
  });
});

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
    expect(clock.timers).toBe(1); // of the deadlines
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

describe('hooks', () => {
  it('C5, Q7: a run hook that throws is logged, counted, and restarted after a backoff that grows', async () => {
    let runs = 0;
    const { controller } = recording({
      runHook: () => {
        runs++;
        return failing();
      },
    });
    const { start, clock, runtime, logger } = harness([controller]);
    void start();
    await settled();
    for (const [i, delayMs] of [500, 1000, 2000].entries()) {
      await clock.advance(delayMs - 1);
      expect(runs).toBe(i + 1);
      await clock.advance(1);
      expect(runs).toBe(i + 2);
    }
    expect(runtime.report().controllers[0]).toMatchObject({
      restarts: 3,
      status: 'running',
      lastError: { message: 'no luck' },
    });
    expect(logger.at('error')[0]?.facts).toMatchObject({ controller: 'Recorder', retryInMs: 500 });
  });

  it('C5: the backoff begins anew after a minute of health, and when the hook says so', async () => {
    const delays: unknown[] = [];
    let runs = 0;
    const { controller } = recording({
      async runHook({ signal, resetRestartBackoff }) {
        runs++;
        if (runs === 3) await new Promise<void>((resolve) => clock.schedule(60_000, resolve));
        if (runs === 5) resetRestartBackoff();
        signal.throwIfAborted();
        throw new Error('no luck');
      },
    });
    const { start, clock, logger } = harness([controller]);
    void start();
    await clock.advance(70_000);
    for (const { facts } of logger.at('error')) delays.push(facts.retryInMs);
    expect(delays.slice(0, 5)).toEqual([500, 1000, 500, 1000, 500]);
  });

  it('C5: a run hook that returns ends by itself only', async () => {
    const { calls, controller } = recording({ runHook: () => undefined });
    const { state, start, clock, runtime } = harness([controller]);
    void start();
    await clock.advance(10_000);
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(calls).toEqual(['a']));
    expect(runtime.report().controllers[0]).toMatchObject({ restarts: 0, status: 'running' });
  });
});
