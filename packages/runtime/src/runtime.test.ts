import { isClosed } from '@cosi-ts/resource';
import { nextTurn } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { primary } from './inputs.js';
import { exclusive, shared } from './outputs.js';
import type { QueueController } from './queue-controller.js';
import { RegistrationError, UnknownControllerError } from './runtime-errors.js';
import { eventually, Gate, harness, settled } from './testdata/harness.js';
import { Factors, Numbers, Squares } from './testdata/kinds.js';

function controller(name: string, more: Partial<QueueController> = {}): QueueController {
  return { name, inputs: [primary(Numbers.kind)], reconcile: () => undefined, ...more };
}

describe('registering', () => {
  it('C1: a second controller of the same name is an error', () => {
    const { runtime } = harness([controller('A')]);
    expect(() => runtime.register(controller('A'))).toThrow(RegistrationError);
    expect(runtime.report().controllers.map(({ name }) => name)).toEqual(['A']);
  });

  it('C2: an exclusive output is one controller’s alone, a shared one is shared by all', () => {
    const { runtime } = harness([
      controller('A', { outputs: [exclusive(Squares)] }),
      controller('B', { outputs: [shared(Factors)] }),
    ]);
    const clash = (name: string, outputs: QueueController['outputs']) => () =>
      runtime.register(controller(name, { outputs }));
    expect(clash('C', [exclusive(Squares)])).toThrow('exclusive output of "A"');
    expect(clash('C', [shared(Squares)])).toThrow(RegistrationError);
    expect(clash('C', [exclusive(Factors)])).toThrow('shared output of "B"');
    expect(clash('C', [shared(Factors)])).not.toThrow();
  });

  it('C2: twice the same output of one controller is an error, and claims nothing', () => {
    const { runtime } = harness();
    expect(() => runtime.register(controller('A', { outputs: [shared(Squares), shared(Squares)] }))).toThrow(
      RegistrationError,
    );
    expect(() => runtime.register(controller('A', { outputs: [exclusive(Squares)] }))).not.toThrow();
  });

  it('C3: two inputs with the same namespace, type and id are an error', () => {
    const { runtime } = harness();
    const twice = controller('A', { inputs: [primary(Numbers.kind), primary(Numbers.kind)] });
    expect(() => runtime.register(twice)).toThrow(TypeError);
    const sameResource = controller('A', { inputs: [primary(Numbers.at('a')), primary(Numbers.at('a'))] });
    expect(() => runtime.register(sameResource)).toThrow(TypeError);
    const others = controller('A', { inputs: [primary(Numbers.at('a')), primary(Numbers.at('b'))] });
    expect(() => runtime.register(others)).not.toThrow();
  });

  it('Q7: a controller that a hook registers while the runtime starts is started once', async () => {
    const started: string[] = [];
    const { runtime, start } = harness([
      controller('A', {
        runHook() {
          started.push('A');
          runtime.register(controller('B', { runHook: () => void started.push('B') }));
        },
      }),
    ]);
    void start();
    await settled();
    expect(started).toEqual(['A', 'B']);
  });

  it('says what is wrong with a declaration', () => {
    const { runtime } = harness();
    expect(() => runtime.register(controller(''))).toThrow('needs a name');
    expect(() => runtime.register(controller('A', { inputs: [] }))).toThrow('no primary input');
    for (const concurrency of [0, -1, 1.5, Number.NaN]) {
      expect(() => runtime.register(controller('A', { concurrency }))).toThrow(`concurrency of ${concurrency}`);
    }
  });
});

describe('running', () => {
  it('C7: runs once', async () => {
    const { runtime, start, stop } = harness();
    void start();
    await expect(runtime.run()).rejects.toSatisfy(isClosed);
    await stop();
    await expect(runtime.run()).rejects.toSatisfy(isClosed);
  });

  it('C7: starts controllers that are registered before and while it runs, and takes none after the end', async () => {
    const { runtime, state, start, stop } = harness();
    const seen: string[] = [];
    const recording = (name: string) => controller(name, { reconcile: ({ id }) => void seen.push(`${name} ${id}`) });
    await state.create(Numbers.new('a', { value: 1 }));
    runtime.register(recording('before'));
    void start();
    await eventually(() => expect(seen).toEqual(['before a']));
    runtime.register(recording('while'));
    await eventually(() => expect(seen).toEqual(['before a', 'while a']));
    await stop();
    expect(() => runtime.register(recording('after'))).toThrow('the runtime has ended');
  });

  it('C7: aborting ends every controller, waits for all, then runs the shutdown hooks, and leaves nothing behind', async () => {
    const order: string[] = [];
    const began = new Gate();
    const slow = controller('slow', {
      async reconcile(_pointer, { signal }) {
        began.open();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        await nextTurn();
        order.push('slow ended');
        signal.throwIfAborted();
      },
      shutdownHook: () => void order.push('hook of slow'),
    });
    const failing = controller('failing', {
      reconcile: () => {
        throw new Error('to be tried again');
      },
      runHook: ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      shutdownHook: () => void order.push('hook of failing'),
    });
    const { state, start, stop, clock, runtime, aborter, logger } = harness([failing, slow]);
    await state.create(Numbers.new('a', { value: 1 }));
    void start();
    await began.opened;
    await eventually(() => expect(runtime.report().controllers[0]?.waiting).toBe(1));
    expect(clock.timers).toBeGreaterThan(0);
    await stop();
    expect(order).toEqual(['slow ended', 'hook of failing', 'hook of slow']);
    expect(clock.timers).toBe(0);
    expect(runtime.report()).toMatchObject({
      status: 'stopped',
      controllers: [{ status: 'stopped' }, { status: 'stopped' }],
      watches: [],
    });
    // That work ends because it is told to is no failure.
    expect(logger.at('error').map(({ facts }) => facts.controller)).toEqual(['failing']);
    expect(aborter.signal.aborted).toBe(true);
  });

  it('C7: does not wait for work that ignores its signal longer than the grace time', async () => {
    const stuck = controller('stuck', { reconcile: () => new Promise(() => undefined) });
    const { state, start, aborter, clock, runtime, logger } = harness([stuck], { shutdownGraceMs: 3000 });
    await state.create(Numbers.new('a', { value: 1 }));
    const running = start();
    await eventually(() => expect(runtime.report().controllers[0]?.inProgress).toBe(1));
    aborter.abort();
    await clock.advance(2999);
    expect(runtime.report().status).toBe('stopping');
    await clock.advance(1);
    await running;
    expect(runtime.report().controllers[0]?.status).toBe('stuck');
    expect(logger.at('error').at(-1)?.facts).toMatchObject({
      controller: 'stuck',
      resources: ['Numbers.test.cosi.dev(test/a)'],
    });
    expect(clock.timers).toBe(0);
  });

  it('C7: starts nothing when its signal has aborted before', async () => {
    let calls = 0;
    const hooks = { runHook: () => void calls++, shutdownHook: () => void calls++ };
    const { start, aborter, runtime } = harness([controller('A', hooks)]);
    aborter.abort();
    await start();
    expect(calls).toBe(0);
    expect(runtime.report().status).toBe('stopped');
  });

  it('C7: close ends a run, and lets go of its signal', async () => {
    const { start, runtime, aborter } = harness([controller('A')]);
    const { signal } = aborter;
    const listeners = new Set<unknown>();
    let added = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      added++;
      listeners.add(args[1]);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    };
    const running = start();
    await runtime.close();
    await running;
    await runtime.close();
    expect(added).toBe(1);
    expect(listeners.size).toBe(0);
  });
});

describe('queueing from outside', () => {
  it('C15: has an item reconciled, and makes one of any number of calls before it is begun', async () => {
    const calls: string[] = [];
    const gate = new Gate();
    const counting = controller('A', {
      async reconcile({ id }) {
        calls.push(id);
        if (calls.length === 1) await gate.opened;
      },
    });
    const { runtime, start } = harness([counting]);
    expect(runtime.queue('A', Numbers.at('x'))).toBe(true);
    void start();
    await eventually(() => expect(calls).toEqual(['x']));
    for (let i = 0; i < 10; i++) runtime.queue('A', Numbers.at('x'));
    gate.open();
    await eventually(() => expect(calls).toEqual(['x', 'x']));
    await settled();
    expect(calls).toEqual(['x', 'x']);
  });

  it('C15: refuses what is no primary input and whom nobody knows, and says when a controller has ended', async () => {
    const { runtime, start, stop } = harness();
    const handle = runtime.register(controller('A', { inputs: [primary(Numbers.at('a'))] }));
    expect(() => handle.queue(Squares.at('a'))).toThrow('not its primary input: Squares.test.cosi.dev(test/a)');
    expect(() => handle.queue(Numbers.at('b'))).toThrow('not its primary input');
    expect(() => runtime.queue('B', Numbers.at('a'))).toThrow(UnknownControllerError);
    void start();
    await settled();
    await stop();
    expect(handle.queue(Numbers.at('a'))).toBe(false);
  });

  it('C15: a run hook queues items of its own controller', async () => {
    const seen: string[] = [];
    const { start } = harness([
      controller('A', {
        reconcile: ({ id }) => void seen.push(id),
        runHook: ({ queue }) => void queue(Numbers.at('from outside')),
      }),
    ]);
    void start();
    await eventually(() => expect(seen).toEqual(['from outside']));
  });
});
