import { EventEmitter } from 'node:events';
import { isUnsupported } from '@cosi-ts/resource';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { primary, weak } from './inputs.js';
import { installProcessHandlers } from './process-handlers.js';
import type { QueueController } from './queue-controller.js';
import { eventually, Gate, harness, settled } from './testdata/harness.js';
import { Numbers } from './testdata/kinds.js';

const events = ['uncaughtException', 'unhandledRejection'] as const;

/** Takes the test runner's own handlers away, so that the host's behaviour is what is seen. */
function withoutOtherHandlers(): void {
  for (const event of events) {
    const others = process.listeners(event as 'uncaughtException');
    process.removeAllListeners(event);
    onTestFinished(() => {
      process.removeAllListeners(event);
      for (const other of others) process.on(event, other);
    });
  }
}

function controller(name: string, reconcile: QueueController['reconcile']): QueueController {
  return { name, inputs: [primary(Numbers.kind)], reconcile };
}

describe('installProcessHandlers', () => {
  it('C5: what escapes through timers, event handlers and promises is reported to its controller, and stops nothing', async () => {
    withoutOtherHandlers();
    const emitter = new EventEmitter();
    const leaks: Record<string, () => void> = {
      timer: () => void setTimeout(() => fail('from a timer'), 1),
      promise: () => void Promise.reject(new Error('from a promise')),
      later: () =>
        void (async () => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          fail('from a promise later');
        })(),
      handler: () => {
        emitter.once('event', () => fail('from a handler'));
        setTimeout(() => emitter.emit('event'), 1);
      },
      text: () => void Promise.reject('only a text'),
    };
    const seen: string[] = [];
    const { runtime, state, start, logger } = harness([
      controller('Leaking', ({ id }) => leaks[id]?.()),
      controller('Other', ({ id }) => void seen.push(id)),
    ]);
    using _handlers = installProcessHandlers(runtime, process);
    void start();
    for (const id of Object.keys(leaks)) await state.create(Numbers.new(id, { value: 1 }));
    await vi.waitFor(() => expect(runtime.report().controllers[0]?.counts.escaped).toBe(5));
    const escaped = logger.at('error').map(({ facts }) => [facts.controller, (facts.err as Error).message]);
    expect(escaped.sort()).toEqual([
      ['Leaking', '"only a text" was thrown, which is no error'],
      ['Leaking', 'from a handler'],
      ['Leaking', 'from a promise'],
      ['Leaking', 'from a promise later'],
      ['Leaking', 'from a timer'],
    ]);
    expect(runtime.report().controllers).toMatchObject([
      { status: 'running', counts: { failed: 0 } },
      { status: 'running', counts: { failed: 0, escaped: 0 } },
    ]);
    await state.create(Numbers.new('after', { value: 1 }));
    await eventually(() => expect(seen).toContain('after'));
  });

  it('C5: what escapes from a controller without a queue is its own, too', async () => {
    withoutOtherHandlers();
    const passes: number[] = [];
    const { runtime, start, state } = harness([
      {
        name: 'Leaking',
        inputs: [weak(Numbers.kind)],
        async run({ events, signal }) {
          signal.addEventListener('abort', () => fail('from a listener'));
          for await (const _ of events) {
            passes.push(1);
            setTimeout(() => fail('from a timer'), 1);
            void Promise.reject(new Error('from a promise'));
          }
        },
      },
    ]);
    using _handlers = installProcessHandlers(runtime, process);
    const escaped = () => runtime.report().controllers[0]?.counts.escaped;
    void start();
    await vi.waitFor(() => expect(escaped()).toBe(2));
    await state.create(Numbers.new('after', { value: 1 }));
    await vi.waitFor(() => expect([passes.length, escaped()]).toEqual([2, 4]));
    expect(runtime.report().controllers[0]).toMatchObject({ status: 'running', restarts: 0 });
    await runtime.close();
    await vi.waitFor(() => expect(escaped()).toBe(5));
  });

  it('C5: what listeners of the signals throw is their controller’s, at a deadline and at the end', async () => {
    withoutOtherHandlers();
    const aborted = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          resolve();
          throw new Error('from a listener');
        });
      });
    const listening = controller('Listening', (_pointer, { signal }) => aborted(signal));
    const { clock, runtime, state, start, stop } = harness([
      { ...listening, reconcileDeadlineMs: 1000, runHook: ({ signal }) => aborted(signal) },
    ]);
    using _handlers = installProcessHandlers(runtime, process);
    const escaped = () => runtime.report().controllers[0]?.counts.escaped;
    void start();
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(runtime.report().controllers[0]?.inProgress).toBe(1));
    await clock.advance(1000);
    await eventually(() => expect(escaped()).toBe(1));
    await state.create(Numbers.new('b', { value: 1 }));
    await eventually(() => expect(runtime.report().controllers[0]?.inProgress).toBe(1));
    await stop();
    await eventually(() => expect(escaped()).toBe(3));
  });

  it('C5: what comes from elsewhere goes on as without handlers', async () => {
    const { runtime } = harness();
    const thrown: unknown[] = [];
    const host = new EventEmitter();
    const handlers = installProcessHandlers(runtime, host);
    const raise = (event: string) => {
      try {
        host.emit(event, 'foreign');
      } catch (error) {
        thrown.push(error);
      }
    };
    for (const event of events) raise(event);
    expect(thrown).toEqual(['foreign', 'foreign']);
    const others: unknown[] = [];
    host.on('uncaughtException', (error) => others.push(error));
    raise('uncaughtException');
    expect([thrown.length, others]).toEqual([2, ['foreign']]);
    handlers[Symbol.dispose]();
    expect(events.map((event) => host.listenerCount(event))).toEqual([1, 0]);
  });

  it('C5: work belongs to its own controller also when several wait for the same', async () => {
    const gate = new Gate();
    const host = new EventEmitter();
    const waiting = (name: string) =>
      controller(name, async () => {
        await gate.opened;
        host.emit('uncaughtException', new Error(`of ${name}`));
      });
    const { runtime, state, start } = harness([waiting('A'), waiting('B')]);
    using _handlers = installProcessHandlers(runtime, host);
    await state.create(Numbers.new('a', { value: 1 }));
    void start();
    await settled();
    gate.open();
    await settled();
    const errors = runtime.report().controllers.map(({ name, lastError }) => [name, lastError?.message]);
    expect(errors).toEqual([
      ['A', 'of A'],
      ['B', 'of B'],
    ]);
  });

  it('C5: two runtimes in one process each take what is theirs', async () => {
    const host = new EventEmitter();
    const leaking = () => {
      const made = harness([
        controller('A', () => void setImmediate(() => host.emit('uncaughtException', new Error('escaped')))),
      ]);
      void made.start();
      return { ...made, handlers: installProcessHandlers(made.runtime, host) };
    };
    const [one, two] = [leaking(), leaking()];
    await two.state.create(Numbers.new('a', { value: 1 }));
    await settled();
    const escaped = () => [one, two].map(({ runtime }) => runtime.report().controllers[0]?.counts.escaped);
    expect(escaped()).toEqual([0, 1]);
    await one.state.create(Numbers.new('a', { value: 1 }));
    await settled();
    expect(escaped()).toEqual([1, 1]);
    one.handlers[Symbol.dispose]();
    expect(host.listenerCount('uncaughtException')).toBe(1);
    two.handlers[Symbol.dispose]();
    expect(host.listenerCount('uncaughtException')).toBe(0);
  });

  it('says so on hosts that cannot follow work', () => {
    const { runtime } = harness();
    vi.stubGlobal('process', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(() => installProcessHandlers(runtime, new EventEmitter())).toThrow(
      expect.toSatisfy((error) => isUnsupported(error)),
    );
  });
});

function fail(message: string): never {
  throw new Error(message);
}
