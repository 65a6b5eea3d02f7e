import { isClosed, type Pointer } from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it, onTestFinished } from 'vitest';
import { primary, weak } from '../inputs.js';
import { eventually, Gate, harness, RecordingLogger, settled, steadyRandom } from '../testdata/harness.js';
import { Numbers, Squares } from '../testdata/kinds.js';
import { Bridge } from './bridge.js';
import type { BridgeOptions } from './bridge-options.js';
import type { BridgeSource, SourceContext } from './bridge-source.js';
import { type BridgeTarget, toController, toItems } from './bridge-target.js';

/** A source that is worked by hand. */
class ManualSource implements BridgeSource<string> {
  /** Of each time it was listened to. */
  readonly contexts: SourceContext<string>[] = [];
  /** How often it is listened to now. */
  open = 0;
  fail: (error: unknown) => void = () => undefined;
  end: () => void = () => undefined;

  async listen(context: SourceContext<string>): Promise<void> {
    this.contexts.push(context);
    this.open++;
    try {
      await new Promise<void>((resolve, reject) => {
        this.fail = reject;
        this.end = resolve;
        context.signal.addEventListener('abort', () => resolve(), { once: true });
        context.live();
      });
    } finally {
      this.open--;
    }
  }

  emit(item: string): void {
    this.contexts.at(-1)?.emit(item);
  }
}

function setup(to: (woken: string[]) => BridgeTarget<string>, options: BridgeOptions = {}) {
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const source = new ManualSource();
  const woken: string[] = [];
  const bridge = new Bridge('knocks', source, to(woken), { clock, logger, random: steadyRandom, ...options });
  onTestFinished(() => bridge.close());
  return { clock, logger, source, woken, bridge };
}

/** Notes the ids that are queued. */
const queueing = (woken: string[]) => ({ queue: ({ id }: Pointer) => void woken.push(id) });
const toNumbers = (woken: string[]) => toItems(queueing(woken), (id: string) => Numbers.at(id));

describe('Bridge', () => {
  it('C15: wakes a controller, and makes one of any number of events while it works', async () => {
    const gate = new Gate();
    let events = 0;
    const { runtime, start } = harness();
    const handle = runtime.register({
      name: 'Listener',
      inputs: [weak(Numbers.kind)],
      async run({ events: reconcile }) {
        for await (const _ of reconcile) {
          events++;
          if (events === 2) await gate.opened;
        }
      },
    });
    const { bridge, source } = setup(() => toController(handle));
    void start();
    void bridge.run();
    await eventually(() => expect(events).toBe(1));
    source.emit('knock');
    await eventually(() => expect(events).toBe(2));
    for (let i = 0; i < 100; i++) source.emit('knock');
    await settled();
    gate.open();
    await eventually(() => expect(events).toBe(3));
    await settled();
    expect(events).toBe(3);
    expect(bridge.report()).toMatchObject({ status: 'live', received: 101, woken: 101, failed: 0 });
  });

  it('C15: queues the items that an event concerns: one, several, or none', async () => {
    const seen: string[] = [];
    const { runtime, start } = harness();
    const handle = runtime.register({
      name: 'Listener',
      inputs: [primary(Numbers.kind)],
      reconcile: ({ id }) => void seen.push(id),
    });
    const { bridge, source } = setup(() =>
      toItems(handle, (ids: string) => (ids === '' ? undefined : ids.split(' ').map((id) => Numbers.at(id)))),
    );
    void start();
    void bridge.run();
    await settled();
    source.emit('a');
    source.emit('b c');
    source.emit('');
    await eventually(() => expect(seen.sort()).toEqual(['a', 'b', 'c']));
    expect(bridge.report()).toMatchObject({ received: 3, woken: 3 });
  });

  it('C15: gives on once what comes within the time to coalesce, from its first event on', async () => {
    const { bridge, clock, source, woken } = setup(toNumbers, { coalesceMs: 100 });
    void bridge.run();
    await settled();
    source.emit('a');
    await clock.advance(60);
    source.emit('a');
    source.emit('b');
    await clock.advance(39);
    expect(woken).toEqual([]);
    await clock.advance(1);
    expect(woken).toEqual(['a', 'b']);
    source.emit('a');
    await clock.advance(100);
    expect(woken).toEqual(['a', 'b', 'a']);
  });

  it('C15: listens again with backoff when the source broke, logs it, and shows it', async () => {
    const { bridge, clock, logger, source, woken } = setup(toNumbers);
    expect(bridge.report()).toMatchObject({ status: 'waiting' });
    void bridge.run();
    await settled();
    await clock.advance(1000);
    source.fail(new Error('the line is cut'));
    await settled();
    expect(bridge.report()).toMatchObject({
      name: 'knocks',
      status: 'degraded',
      since: '2000-01-01T00:00:01Z',
      restarts: 0,
      lastError: { message: 'the line is cut' },
    });
    expect(logger.at('error')).toMatchObject([{ facts: { bridge: 'knocks', retryInMs: 500 } }]);
    await clock.advance(499);
    expect(source.open).toBe(0);
    await clock.advance(1);
    source.fail(new Error('the line is cut'));
    await clock.advance(1000);
    expect(bridge.report()).toMatchObject({ status: 'live', restarts: 2 });
    source.emit('a');
    await settled();
    expect(woken).toEqual(['a']);
    expect(bridge.report().lastActivity).toBe('2000-01-01T00:00:02.5Z');
  });

  it('C15: what may have been missed is made up for whenever listening begins again', async () => {
    let rung = 0;
    const controller = setup(() => toController({ queueReconcile: () => rung++ }));
    const items = setup((woken) =>
      toItems(queueing(woken), (id: string) => Numbers.at(id), { missed: async () => [Numbers.at('x')] }),
    );
    for (const { bridge } of [controller, items]) void bridge.run();
    await settled();
    expect([rung, items.woken]).toEqual([0, ['x']]);
    for (const { clock, source } of [controller, items]) {
      source.fail(new Error('the line is cut'));
      await clock.advance(500);
    }
    expect([rung, items.woken]).toEqual([1, ['x', 'x']]);
  });

  it('C15: an event that goes wrong is logged and counted, and stops nothing', async () => {
    const { bridge, clock, logger, source, woken } = setup(
      (ids) => {
        const refusing = {
          queue: ({ id }: Pointer) => {
            if (id === 'refused') throw new Error('no such item');
            ids.push(id);
          },
        };
        return toItems(refusing, async (id: string) => {
          if (id === 'bad') throw new Error('cannot be read');
          return Numbers.at(id);
        });
      },
      { coalesceMs: 10 },
    );
    void bridge.run();
    await settled();
    for (const id of ['bad', 'refused', 'a']) source.emit(id);
    await settled();
    await clock.advance(10);
    expect(woken).toEqual(['a']);
    expect(logger.at('error').map(({ facts }) => (facts.err as Error).message)).toEqual([
      'cannot be read',
      'no such item',
    ]);
    expect(bridge.report()).toMatchObject({ status: 'live', received: 3, failed: 2, woken: 1, restarts: 0 });
  });

  it('C15: what a source that was left gives counts no more', async () => {
    const { bridge, clock, source, woken } = setup(toNumbers);
    void bridge.run();
    await settled();
    source.fail(new Error('the line is cut'));
    await clock.advance(500);
    source.contexts[0]?.emit('late');
    await settled();
    expect(woken).toEqual([]);
  });

  it('C15: a source with nothing more to give ends the bridge, loudly, with everything given on', async () => {
    const { bridge, clock, logger, source, woken } = setup(toNumbers, { coalesceMs: 100 });
    const running = bridge.run();
    await settled();
    source.emit('a');
    source.end();
    await running;
    expect(woken).toEqual(['a']);
    expect(bridge.report().status).toBe('ended');
    expect(logger.at('warn')).toHaveLength(1);
    expect(clock.timers).toBe(0);
  });

  it('C15: nothing is left at the end: no timer, no listening, nothing that is woken later', async () => {
    const gate = new Gate();
    const { bridge, clock, source, woken } = setup(
      (ids) =>
        toItems(queueing(ids), async (id: string) => {
          if (id === 'slow') await gate.opened;
          return Numbers.at(id);
        }),
      { coalesceMs: 100 },
    );
    const aborter = new AbortController();
    const running = bridge.run({ signal: aborter.signal });
    await settled();
    source.emit('a');
    source.emit('slow');
    await settled();
    expect([clock.timers, source.open]).toEqual([1, 1]);
    aborter.abort();
    gate.open();
    await running;
    expect([clock.timers, source.open]).toEqual([0, 0]);
    source.emit('b');
    await clock.advance(1000);
    expect(woken).toEqual([]);
    expect(bridge.report().status).toBe('stopped');
    await expect(bridge.run()).rejects.toSatisfy(isClosed);
  });

  it('C15: ends also while it waits for its backoff, and before it ever ran', async () => {
    const { bridge, clock, source } = setup(toNumbers);
    const running = bridge.run();
    await settled();
    source.fail(new Error('the line is cut'));
    await settled();
    expect(clock.timers).toBe(1);
    await bridge.close();
    await running;
    expect(clock.timers).toBe(0);
    const unused = setup(toNumbers);
    await unused.bridge.close();
    await expect(unused.bridge.run()).rejects.toSatisfy(isClosed);
    expect(unused.bridge.report().status).toBe('stopped');
  });

  it('C15: does not wait for a source that ignores its signal longer than the grace time', async () => {
    const clock = new VirtualClock();
    const logger = new RecordingLogger();
    const deaf: BridgeSource<string> = { listen: () => new Promise(() => undefined) };
    const bridge = new Bridge('deaf', deaf, toNumbers([]), { clock, logger, shutdownGraceMs: 2000 });
    const running = bridge.run();
    await settled();
    const closed = bridge.close();
    await clock.advance(2000);
    await Promise.all([running, closed]);
    expect(logger.at('error')).toMatchObject([{ facts: { bridge: 'deaf', graceMs: 2000 } }]);
  });

  it('C15: lets go of the signal that it runs with', async () => {
    const { bridge } = setup(toNumbers);
    const { signal } = new AbortController();
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
    const running = bridge.run({ signal });
    await settled();
    expect(listeners).toBe(1);
    await bridge.close();
    await running;
    expect(listeners).toBe(0);
  });

  it('C15: an item that is no primary input of its controller is an error of the bridge', async () => {
    const { runtime, start } = harness();
    const handle = runtime.register({ name: 'A', inputs: [primary(Numbers.kind)], reconcile: () => undefined });
    const { bridge, source, logger } = setup(() => toItems(handle, (id: string) => Squares.at(id)));
    void start();
    void bridge.run();
    await settled();
    source.emit('a');
    await settled();
    expect(logger.at('error').map(({ facts }) => (facts.err as Error).message)).toEqual([
      expect.stringContaining('not its primary input'),
    ]);
  });
});
