import { UnavailableError } from '@cosi-ts/resource';
import { nextTurn, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import type { Controller, ControllerContext } from './controller.js';
import { destroyReady, primary, strong, weak } from './inputs.js';
import { exclusive } from './outputs.js';
import type { QueueController } from './queue-controller.js';
import { UnknownControllerError } from './runtime-errors.js';
import { breakable } from './testdata/breakable-core.js';
import { failing } from './testdata/controllers.js';
import { eventually, Gate, harness, settled } from './testdata/harness.js';
import { Factors, Numbers, Squares } from './testdata/kinds.js';

/** A controller that counts its events, and does for each what it is told. */
function looping(more: Partial<Controller> = {}, each: (context: ControllerContext) => unknown = () => undefined) {
  const passes: number[] = [];
  const controller: Controller = {
    name: 'Looping',
    inputs: [weak(Numbers.kind)],
    outputs: [exclusive(Squares)],
    async run(context) {
      for await (const { attempt } of context.events) {
        passes.push(attempt);
        await each(context);
      }
    },
    ...more,
  };
  return { passes, controller };
}

const change = (value: number) => (draft: { spec: { value: number } }) => {
  draft.spec.value = value;
};

describe('reconcile events', () => {
  it('C4: the first comes at the start, with inputs or without', async () => {
    const empty = looping();
    const none = looping({ name: 'None', inputs: [], outputs: [] });
    const { start, runtime } = harness([empty.controller, none.controller]);
    void start();
    await settled();
    expect([empty.passes, none.passes]).toEqual([[1], [1]]);
    expect(runtime.report().controllers).toMatchObject([
      { name: 'Looping', kind: 'controller', status: 'running', counts: { reconciled: 1, failed: 0 } },
      { name: 'None', kind: 'controller', status: 'running' },
    ]);
  });

  it('C4: what is there at the start comes with the first event', async () => {
    const seen: number[] = [];
    const { controller } = looping({}, async ({ state }) => seen.push((await state.list(Numbers.kind)).length));
    const { state, start } = harness([controller]);
    for (let i = 0; i < 10_000; i++) await state.create(Numbers.new(`${i}`, { value: i }));
    void start();
    await eventually(() => expect(seen).not.toEqual([]));
    await settled();
    expect(seen).toEqual([10_000]);
  });

  it('C4: any number of changes while the controller works become one event', async () => {
    const gates = [new Gate(), new Gate()];
    const { passes, controller } = looping({}, () => gates[passes.length - 1]?.opened);
    const { state, start, runtime } = harness([controller]);
    void start();
    await eventually(() => expect(passes).toHaveLength(1));
    for (let i = 0; i < 20; i++) {
      await state.modify(Numbers.at(`${i % 3}`), change(i));
      await nextTurn();
    }
    expect(passes).toHaveLength(1);
    expect(runtime.report().controllers[0]).toMatchObject({ inProgress: 1, queueLength: 1 });
    gates[0]?.open();
    await eventually(() => expect(passes).toHaveLength(2));
    gates[1]?.open();
    await settled();
    expect(passes).toHaveLength(2);
    expect(runtime.report().controllers[0]).toMatchObject({ inProgress: 0, queueLength: 0 });
  });

  it('C4: come for each change of an input, and of nothing else', async () => {
    const { passes, controller } = looping({ inputs: [weak(Numbers.at('a')), strong(Factors.kind)] });
    const { state, start } = harness([controller]);
    void start();
    await settled();
    const after = async (step: Promise<unknown>) => {
      await step;
      await settled();
      return passes.length;
    };
    expect(await after(state.create(Numbers.new('a', { value: 1 })))).toBe(2);
    expect(await after(state.create(Numbers.new('b', { value: 1 })))).toBe(2);
    expect(await after(state.create(Numbers.new('a', { value: 1 }, { namespace: 'other' })))).toBe(2);
    expect(await after(state.create(Factors.new('f', { factor: 1 })))).toBe(3);
    expect(await after(state.addFinalizer(Numbers.at('a'), 'f'))).toBe(4);
    expect(await after(state.create(Squares.new('a', { value: 1 })))).toBe(4);
    expect(await after(state.destroy(Factors.at('f')))).toBe(5);
  });

  it('C4: a destroy-ready input wakes only when its resource is tearing down without finalizers', async () => {
    const { passes, controller } = looping({ inputs: [destroyReady(Numbers.kind)] });
    const { state, start } = harness([controller]);
    await state.create(Numbers.new('before', { value: 1 }, { finalizers: ['held'] }));
    void start();
    await settled();
    await state.create(Numbers.new('a', { value: 1 }, { finalizers: ['held'] }));
    await state.modify(Numbers.at('a'), change(2));
    await state.teardown(Numbers.at('a'));
    await settled();
    expect(passes).toHaveLength(1);
    await state.removeFinalizer(Numbers.at('a'), 'held');
    await settled();
    expect(passes).toHaveLength(2);
  });

  it('C4: one that cannot list an input is woken all the same, and again when it can', async () => {
    const core = breakable(new InMemoryState());
    core.refusals.push(new UnavailableError('not up yet'), new UnavailableError('not up yet'));
    const { passes, controller } = looping();
    const { start, clock } = harness([controller], { core: wrapState(core) });
    void start();
    await settled();
    expect(passes).toHaveLength(1);
    await clock.advance(500);
    expect(passes).toHaveLength(1);
    await clock.advance(1000);
    await eventually(() => expect(passes).toHaveLength(2));
  });

  it('C4: are for one loop at a time, and the next loop goes on where one was left', async () => {
    let clash: unknown;
    const order: string[] = [];
    const { controller } = looping({
      async run({ events, signal }) {
        for await (const _ of events) {
          order.push('first loop');
          break;
        }
        const other = events[Symbol.asyncIterator]();
        const waiting = other.next();
        const clashing = events[Symbol.asyncIterator]().next();
        clash = await clashing.catch((error) => error);
        await waiting;
        order.push('second loop');
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    const { state, start } = harness([controller]);
    void start();
    await eventually(() => expect(clash).toBeInstanceOf(TypeError));
    expect(order).toEqual(['first loop']);
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(order).toEqual(['first loop', 'second loop']));
  });
});

describe('queueReconcile', () => {
  it('C6: has the controller look once more, however often it is called', async () => {
    const { passes, controller } = looping({}, ({ queueReconcile }) => {
      if (passes.length > 3) return;
      queueReconcile();
      queueReconcile();
    });
    const { start } = harness([controller]);
    void start();
    await settled();
    expect(passes).toHaveLength(4);
  });

  it('C6, C17: after a delay, of which the shortest counts, and which an event before it replaces', async () => {
    const { passes, controller } = looping({}, ({ queueReconcile }) => {
      if (passes.length > 2) return;
      queueReconcile(5000);
      queueReconcile(2 ** 32);
      expect(() => queueReconcile(Number.NaN)).toThrow(RangeError);
    });
    const { state, start, clock, runtime, stop } = harness([controller]);
    void start();
    await settled();
    expect(runtime.report().controllers[0]).toMatchObject({ waiting: 1 });
    await clock.advance(4000);
    await state.create(Numbers.new('a', { value: 1 }));
    await settled();
    expect(passes).toHaveLength(2);
    await clock.advance(4999);
    expect(passes).toHaveLength(2);
    await clock.advance(1);
    expect(passes).toHaveLength(3);
    expect(runtime.report().controllers[0]).toMatchObject({ waiting: 0, counts: { failed: 0 } });
    await stop();
    expect(clock.timers).toBe(0);
  });

  it('C6: lets the event loop have its turns while a controller asks again and again', async () => {
    const bound = 100_000;
    const { passes, controller } = looping({}, ({ queueReconcile }) => {
      if (passes.length < bound) queueReconcile();
    });
    const { start } = harness([controller]);
    void start();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(passes.length).toBeGreaterThan(0);
    expect(passes.length).toBeLessThan(bound);
  });

  it('C15: from outside, before and while it runs, and is told when the controller has ended', async () => {
    const { passes, controller } = looping();
    const { start, runtime, stop } = harness();
    const handle = runtime.register(controller);
    runtime.register({ name: 'Queue', inputs: [], reconcile: () => undefined, ...primaryNumbers } as QueueController);
    expect(runtime.queueReconcile('Looping')).toBe(true);
    void start();
    await settled();
    expect(passes).toHaveLength(1);
    expect([handle.queueReconcile(), handle.queueReconcile()]).toEqual([true, true]);
    await settled();
    expect(passes).toHaveLength(2);
    expect(() => runtime.queueReconcile('Queue')).toThrow(UnknownControllerError);
    expect(() => runtime.queue('Looping', Numbers.at('a'))).toThrow('no queue controller is called "Looping"');
    expect(handle.report()).toMatchObject({
      inputs: [{ kind: 'weak', namespace: 'test', type: Numbers.type, id: undefined }],
      outputs: [{ kind: 'exclusive', type: Squares.type }],
    });
    await stop();
    expect(handle.queueReconcile()).toBe(false);
  });
});

const primaryNumbers: Partial<QueueController> = {
  inputs: [primary({ ...Numbers.kind })],
};

describe('output tracking', () => {
  async function tracked(each: (context: ControllerContext) => Promise<void>, more: Partial<Controller> = {}) {
    const { passes, controller } = looping({ ...more, inputs: [weak(Numbers.kind), destroyReady(Squares.kind)] }, each);
    const made = harness([controller]);
    const squares = async () => (await made.state.list(Squares.kind)).map(({ metadata }) => metadata.id);
    return { ...made, passes, squares };
  }

  const squareAll = async ({ state, startTrackingOutputs, cleanupOutputs }: ControllerContext) => {
    startTrackingOutputs();
    for (const { metadata, spec } of await state.list(Numbers.kind)) {
      await state.modify(Squares.at(metadata.id), change(spec.value ** 2));
    }
    await cleanupOutputs(Squares.kind);
  };

  it('C6: outputs of this owner that were not written are destroyed', async () => {
    const { state, start, squares } = await tracked(squareAll);
    await state.create(Squares.new('left over', { value: 1 }), { owner: 'Looping' });
    await state.create(Squares.new('foreign', { value: 1 }), { owner: 'Other' });
    for (const id of ['a', 'b']) await state.create(Numbers.new(id, { value: 2 }));
    void start();
    await eventually(async () => expect(await squares()).toEqual(['a', 'b', 'foreign']));
    const untouched = await state.get(Squares.at('b'));
    await state.destroy(Numbers.at('a'));
    await eventually(async () => expect(await squares()).toEqual(['b', 'foreign']));
    expect((await state.get(Squares.at('b'))).metadata.version).toBe(untouched.metadata.version);
  });

  it('C6: what others hold is torn down, and destroyed when they have let go', async () => {
    const gone: boolean[] = [];
    const { state, start, squares } = await tracked(async ({ startTrackingOutputs, cleanupOutputs }) => {
      startTrackingOutputs();
      gone.push(await cleanupOutputs(Squares.kind));
    });
    await state.create(Squares.new('a', { value: 1 }, { finalizers: ['held'] }), { owner: 'Looping' });
    void start();
    await eventually(() => expect(gone).toEqual([false]));
    expect((await state.get(Squares.at('a'))).metadata.phase).toBe('tearingDown');
    await state.removeFinalizer(Squares.at('a'), 'held');
    await eventually(() => expect(gone.slice(0, 2)).toEqual([false, true]));
    expect(await squares()).toEqual([]);
  });

  it('C6: starting twice is an error, and so is cleaning up what was not tracked or is no output', async () => {
    const errors: unknown[] = [];
    const { start } = await tracked(async ({ startTrackingOutputs, cleanupOutputs }) => {
      errors.push(await cleanupOutputs(Squares.kind).catch((error) => error));
      startTrackingOutputs();
      try {
        startTrackingOutputs();
      } catch (error) {
        errors.push(error);
      }
      errors.push(await cleanupOutputs(Factors.kind).catch((error) => error.code));
      errors.push(await cleanupOutputs(Squares.kind));
    });
    void start();
    await settled();
    expect(errors).toEqual([expect.any(TypeError), expect.any(TypeError), 'runtime/undeclared', true]);
  });

  it('C6: a crash in between forgets the tracking, and destroys nothing', async () => {
    let crashes = 0;
    const { state, start, squares, clock, runtime } = await tracked(async (context) => {
      if (crashes++ > 0) return squareAll(context);
      context.startTrackingOutputs();
      failing();
    });
    await state.create(Squares.new('left over', { value: 1 }), { owner: 'Looping' });
    void start();
    await settled();
    expect(await squares()).toEqual(['left over']);
    await clock.advance(500);
    await eventually(async () => expect(await squares()).toEqual([]));
    expect(runtime.report().controllers[0]).toMatchObject({ restarts: 1, counts: { failed: 1 } });
  });
});

describe('run', () => {
  it('C5: that throws is logged, counted, and begins anew after a backoff, with an event', async () => {
    const { passes, controller } = looping({}, ({ logger }) => {
      logger.info({}, 'about to fail');
      if (passes.length < 4) failing();
    });
    const { state, start, clock, runtime, logger } = harness([controller]);
    void start();
    await settled();
    await state.create(Numbers.new('a', { value: 1 }));
    for (const [i, delayMs] of [500, 1000, 2000].entries()) {
      await clock.advance(delayMs - 1);
      expect(passes).toHaveLength(i + 1);
      await clock.advance(1);
      expect(passes).toHaveLength(i + 2);
    }
    expect(passes).toEqual([1, 2, 3, 4]);
    expect(runtime.report().controllers[0]).toMatchObject({
      restarts: 3,
      status: 'running',
      counts: { failed: 3, reconciled: 4 },
      lastError: { message: 'no luck' },
    });
    expect(logger.at('error')[0]).toMatchObject({
      message: 'the controller failed',
      facts: { controller: 'Looping', retryInMs: 500, err: { stack: expect.stringContaining('at ') } },
    });
    await state.create(Numbers.new('b', { value: 1 }));
    await eventually(() => expect(passes).toHaveLength(5));
  });

  it('C5: resetRestartBackoff has the next failure followed by the shortest delay', async () => {
    const { passes, controller } = looping({}, ({ resetRestartBackoff }) => {
      if (passes.length === 3) resetRestartBackoff();
      failing();
    });
    const { start, clock, logger } = harness([controller]);
    void start();
    await clock.advance(1999);
    expect(logger.at('error').map(({ facts }) => facts.retryInMs)).toEqual([500, 1000, 500]);
    expect(passes).toEqual([1, 2, 3]);
  });

  it('C5: that returns ends its controller only, which is logged, and waits for nothing more', async () => {
    const over = looping({ name: 'Over', outputs: [], run: () => undefined });
    const { passes, controller } = looping();
    const { state, start, runtime, logger, stop } = harness([over.controller, controller]);
    void start();
    await settled();
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(passes).toHaveLength(2));
    expect(runtime.report().controllers.map(({ status }) => status)).toEqual(['ended', 'running']);
    expect(runtime.queueReconcile('Over')).toBe(false);
    expect(logger.at('warn').map(({ facts }) => facts)).toEqual([{ controller: 'Over' }]);
    await stop();
    expect(runtime.report().controllers.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
  });

  it('C5: what a failed run has left behind can write no more', async () => {
    const gate = new Gate();
    let refused: unknown;
    const { controller } = looping({}, ({ state, signal, queueReconcile }) => {
      const later = async () => {
        await gate.opened;
        queueReconcile(1);
        expect(signal.aborted).toBe(true);
        await state.create(Squares.new('late', { value: 1 }));
      };
      later().catch((error) => {
        refused = error;
      });
      failing();
    });
    const { state, start, clock } = harness([controller]);
    void start();
    await settled();
    gate.open();
    await eventually(() => expect(refused).toMatchObject({ code: 'closed' }));
    expect(await state.list(Squares.kind)).toEqual([]);
    expect(clock.timers).toBe(2); // of the backoff, and of the look at the event loop
  });

  it('C7: ends when the runtime ends, whatever it waits for, and leaves nothing behind', async () => {
    const ends: string[] = [];
    const idle = looping({ name: 'Idle', outputs: [], shutdownHook: () => void ends.push('hook') });
    const waiting = looping({ name: 'Waiting', outputs: [] }, async ({ state }) => {
      try {
        await state.watchFor(Numbers.at('never'), { events: ['created'] });
      } finally {
        ends.push('ended');
      }
    });
    const backingOff = looping({ name: 'BackingOff', outputs: [] }, failing);
    const { start, stop, clock, runtime, logger } = harness([
      idle.controller,
      waiting.controller,
      backingOff.controller,
    ]);
    void start();
    await settled();
    await stop();
    expect(ends).toEqual(['ended', 'hook']);
    expect(clock.timers).toBe(0);
    expect(runtime.report()).toMatchObject({ status: 'stopped', watches: [] });
    expect(runtime.report().controllers.map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped']);
    expect(logger.at('error').map(({ facts }) => facts.controller)).toEqual(['BackingOff']);
  });

  it('C7: one that ignores its signal is left behind after the grace time', async () => {
    const { controller } = looping({ run: () => new Promise(() => undefined) });
    const { start, aborter, clock, runtime } = harness([controller], { shutdownGraceMs: 3000 });
    const running = start();
    await settled();
    aborter.abort();
    await clock.advance(3000);
    await running;
    expect(runtime.report().controllers[0]?.status).toBe('stuck');
    expect(clock.timers).toBe(0);
  });
});

describe('inputs of a controller', () => {
  it('C3: can be replaced while it runs, and no change of a new one is missed once the call has returned', async () => {
    const seen: string[] = [];
    const { controller } = looping({
      inputs: [],
      async run({ events, replaceInputs, state }) {
        await replaceInputs([weak(Numbers.kind)]);
        for await (const _ of events) {
          seen.push((await state.list(Numbers.kind)).map(({ metadata }) => metadata.id).join());
        }
      },
    });
    const { state, start, runtime } = harness();
    const handle = runtime.register(controller);
    await state.create(Numbers.new('a', { value: 1 }));
    void start();
    await eventually(() => expect(seen.at(-1)).toBe('a'));
    await state.create(Numbers.new('b', { value: 1 }));
    await eventually(() => expect(seen.at(-1)).toBe('a,b'));
    const before = seen.length;
    await handle.replaceInputs([weak(Numbers.kind), weak(Factors.kind)]);
    await state.create(Factors.new('f', { factor: 1 }));
    await eventually(() => expect(seen.length).toBe(before + 1));
    await handle.replaceInputs([weak(Factors.kind)]);
    expect(runtime.report().watches.map(({ type }) => type)).toEqual([Factors.type]);
    const twice = [weak(Numbers.kind), strong(Numbers.kind)];
    await expect(handle.replaceInputs(twice)).rejects.toThrow('the input Numbers.test.cosi.dev(test) twice');
  });

  it('C3: the first event waits for no input that was replaced', async () => {
    const core = breakable(new InMemoryState());
    const never = new Gate();
    const open = core.watchKindAggregated.bind(core);
    core.watchKindAggregated = async (kind, options) => {
      if (kind.type === Factors.type) await never.opened;
      return open(kind, options);
    };
    const { passes, controller } = looping({ inputs: [weak(Factors.kind)] });
    const { start, runtime } = harness([], { core: wrapState(core) });
    const handle = runtime.register(controller);
    void start();
    await settled();
    expect(passes).toEqual([]);
    await handle.replaceInputs([weak(Numbers.kind)]);
    await eventually(() => expect(passes).toEqual([1]));
    never.open();
  });

  it('C3: finalizers can be changed on strong ones only, and what is no input cannot be read', async () => {
    const outcomes: unknown[] = [];
    const { controller } = looping({ inputs: [strong(Numbers.kind), weak(Factors.kind)] }, async ({ state: own }) => {
      const attempts = [
        own.addFinalizer(Numbers.at('a')),
        own.removeFinalizer(Numbers.at('a')),
        own.addFinalizer(Factors.at('f')),
        own.get(Numbers.at('a', 'elsewhere')),
      ];
      for (const attempt of attempts) outcomes.push(await attempt.catch((error) => error.code));
    });
    const { state, start } = harness([controller]);
    await state.create(Numbers.new('a', { value: 1 }));
    await state.create(Factors.new('f', { factor: 1 }));
    void start();
    const expected = [undefined, undefined, 'runtime/undeclared', 'runtime/undeclared'];
    await eventually(() => expect(outcomes.slice(0, 4)).toEqual(expected));
  });

  it('C1, C3: says what is wrong with a declaration', () => {
    const { runtime } = harness();
    const register = (more: object) => () => runtime.register({ ...looping().controller, ...more } as Controller);
    expect(register({ name: '' })).toThrow('needs a name');
    expect(register({ inputs: [weak(Numbers.kind), weak(Numbers.kind)] })).toThrow('twice');
    expect(register({ ...primaryNumbers })).toThrow('is primary, which is for queue controllers');
    expect(register({ run: undefined })).toThrow('neither a run nor a reconcile function');
    expect(register({ reconcile: () => undefined })).toThrow('a run and a reconcile function');
    expect(register({ writeLimit: { perSecond: 0 } })).toThrow('writeLimit.perSecond cannot be 0');
    const queue = {
      name: 'Q',
      inputs: [...(primaryNumbers.inputs ?? []), weak(Factors.kind)],
      reconcile: () => undefined,
    };
    expect(() => runtime.register(queue as never)).toThrow('not for queue controllers');
    expect(runtime.report().controllers).toEqual([]);
  });

  it('C1, C2: names and outputs are one space for controllers of all kinds', () => {
    const { runtime } = harness([looping().controller]);
    const queue: QueueController = { name: 'Looping', inputs: [], reconcile: () => undefined, ...primaryNumbers };
    expect(() => runtime.register(queue)).toThrow('the name is taken');
    expect(() => runtime.register({ ...queue, name: 'Q', outputs: [exclusive(Squares)] })).toThrow(
      'exclusive output of "Looping"',
    );
  });
});
