import { UnavailableError } from '@cosi-ts/resource';
import { type Clock, sleep, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { Bridge } from './bridges/bridge.js';
import { toItems } from './bridges/bridge-target.js';
import { fromCallback } from './bridges/from-callback.js';
import { primary, weak } from './inputs.js';
import type { JobContext } from './job-context.js';
import { TaskRunner } from './tasks/task-runner.js';
import { eventually, harness, settled } from './testdata/harness.js';
import { Numbers, Squares } from './testdata/kinds.js';

/** Virtual time in which work can take time without letting go of the event loop. */
class HeldClock implements Clock {
  readonly virtual = new VirtualClock();
  #heldMs = 0;

  now() {
    return this.virtual.now();
  }

  monotonicMs() {
    return this.virtual.monotonicMs() + this.#heldMs;
  }

  schedule(delayMs: number, callback: () => void) {
    return this.virtual.schedule(delayMs, callback);
  }

  hold(ms: number) {
    this.#heldMs += ms;
  }
}

const idle = { name: 'Idle', inputs: [primary(Numbers.kind)], reconcile: async () => undefined };

describe('the health report', () => {
  it('W16: tells of each watch and controller whether it is live, and the age of its last activity', async () => {
    const { state, runtime, clock, start, stop } = harness([idle]);
    expect(runtime.report().health).toMatchObject({
      status: 'starting',
      parts: [{ part: 'controller', name: 'Idle', status: 'starting', reason: 'the runtime does not run yet' }],
    });
    void start();
    expect(runtime.report().health.parts[0]).toMatchObject({ part: 'watch', status: 'starting', idleMs: undefined });
    await eventually(() => expect(runtime.report().health.status).toBe('live'));
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(runtime.report().controllers[0]?.counts.reconciled).toBe(1));
    await clock.advance(7_000);
    const live = { status: 'live', reason: undefined, idleMs: 7_000 };
    expect(runtime.report().health).toMatchObject({
      status: 'live',
      parts: [
        { part: 'watch', name: `test/${Numbers.type}`, ...live },
        { part: 'controller', name: 'Idle', ...live },
      ],
    });
    await stop();
    expect(runtime.report().health).toMatchObject({
      status: 'degraded',
      parts: [{ part: 'controller', status: 'degraded', reason: 'it was stopped' }],
    });
  });

  it('W16: tells of each cache', async () => {
    const { runtime, start, stop } = harness([idle], { cached: [Numbers.kind] });
    const caches = () => runtime.report().health.parts.filter(({ part }) => part === 'cache');
    void start();
    expect(caches()).toMatchObject([{ status: 'starting', reason: 'its first list has not come yet' }]);
    await eventually(() =>
      expect(caches()).toMatchObject([{ name: `test/${Numbers.type}`, status: 'live', idleMs: 0 }]),
    );
    await stop();
    expect(caches()).toMatchObject([{ status: 'degraded', reason: 'it was stopped' }]);
  });

  it('W16: a watch that breaks is degraded with its reason, and so are the controllers that it feeds', async () => {
    let broken = true;
    const memory = new InMemoryState();
    const core = wrapState({
      get: memory.get.bind(memory),
      list: memory.list.bind(memory),
      create: memory.create.bind(memory),
      update: memory.update.bind(memory),
      destroy: memory.destroy.bind(memory),
      watch: memory.watch.bind(memory),
      watchKind: memory.watchKind.bind(memory),
      watchKindAggregated: async (...args) => {
        if (broken) throw new UnavailableError('no route to the host');
        return memory.watchKindAggregated(...args);
      },
    });
    const other = {
      name: 'Other',
      inputs: [],
      run: (context: JobContext) => sleep(context.clock, 1e9, context.signal),
    };
    const { runtime, clock, start } = harness([idle, other], { core });
    void start();
    await eventually(() => expect(runtime.report().health.status).toBe('degraded'));
    expect(runtime.report().health.parts).toMatchObject([
      { part: 'watch', status: 'degraded', reason: 'no route to the host', idleMs: undefined },
      { name: 'Idle', status: 'degraded', reason: expect.stringContaining('no route to the host') },
      { name: 'Other', status: 'live' },
    ]);
    broken = false;
    await clock.advance(60_000);
    await eventually(() => expect(runtime.report().health.status).toBe('live'));
  });

  it('W16: a controller that waits to be started again is degraded, and one that has returned', async () => {
    let fails = true;
    const { runtime, clock, start } = harness([
      {
        name: 'Restless',
        inputs: [weak(Numbers.kind)],
        async run() {
          if (fails) throw new Error('no licence');
        },
      },
    ]);
    void start();
    const part = () => runtime.report().health.parts.find((each) => each.name === 'Restless');
    await eventually(() =>
      expect(part()).toMatchObject({ status: 'degraded', reason: 'waits to be started again: no licence' }),
    );
    fails = false;
    await clock.advance(60_000);
    await eventually(() => expect(part()).toMatchObject({ status: 'degraded', reason: 'its run has returned' }));
  });

  it('W16: bridges and tasks that were included are in it, until they are taken out', async () => {
    const { runtime, clock, start, logger } = harness([idle]);
    void start();
    await eventually(() => expect(runtime.report().health.status).toBe('live'));
    const bridge = new Bridge(
      'bus',
      fromCallback<string>(() => {
        throw new Error('the bus is off');
      }),
      toItems({ queue: () => true }, (id) => Numbers.at(id)),
      { clock, logger },
    );
    const tasks = new TaskRunner<number>(
      ({ spec, signal }) => (spec === 0 ? Promise.reject(new Error('no such host')) : sleep(clock, 1e9, signal)),
      { clock, logger },
    );
    const parts = () => runtime.report().health.parts.filter(({ part }) => part === 'bridge' || part === 'task');
    const included = [runtime.includeBridge(bridge), runtime.includeTasks('probes', tasks)];
    const running = bridge.run();
    await tasks.reconcile([
      ['good', 1],
      ['bad', 0],
    ]);
    await eventually(() =>
      expect(parts()).toMatchObject([
        { part: 'task', name: 'probes/good', status: 'live' },
        { part: 'task', name: 'probes/bad', status: 'degraded', reason: 'waits to be started again: no such host' },
        { part: 'bridge', name: 'bus', status: 'degraded', reason: 'its source broke: the bus is off' },
      ]),
    );
    expect(runtime.report().health.status).toBe('degraded');
    for (const each of included) each[Symbol.dispose]();
    expect(parts()).toEqual([]);
    expect(runtime.report().health.status).toBe('live');
    await Promise.all([bridge.close(), tasks.close(), running]);
  });

  it('W16: what a run includes is in it as long as that run goes on', async () => {
    const { runtime, start, clock } = harness([
      {
        name: 'Prober',
        inputs: [weak(Numbers.kind)],
        async run({ events, includeTasks, signal, clock: own, logger }) {
          await using tasks = new TaskRunner<number>((task) => sleep(own, 1e9, task.signal), { logger, clock: own });
          includeTasks(tasks);
          for await (const { attempt } of events) {
            await tasks.start('probe', 1);
            if (attempt === 1) await sleep(own, 100, signal).then(() => Promise.reject(new Error('lost')));
          }
        },
      },
    ]);
    void start();
    const sets = () => runtime.report().tasks.map(({ name, tasks }) => [name, tasks.length]);
    await eventually(() => expect(sets()).toEqual([['Prober', 1]]));
    await clock.advance(100);
    await eventually(() => expect(sets()).toEqual([]));
    await clock.advance(60_000);
    await eventually(() => expect(sets()).toEqual([['Prober', 1]]));
  });
});

describe('the lag of the event loop', () => {
  it.each(['before', 'after'])(
    'W16: names the controller that held it, also %s it awaited something, and the others catch up',
    async (when) => {
      const clock = new HeldClock();
      const done: string[] = [];
      const { state, runtime, start, logger } = harness(
        [
          {
            name: 'Burner',
            inputs: [primary(Numbers.kind)],
            async reconcile({ id }, { state: own }) {
              if (when === 'after') await own.get(Numbers.at(id));
              clock.hold(5_000);
            },
          },
          {
            name: 'Meek',
            inputs: [primary(Squares.kind)],
            async reconcile({ id }, { state: own }) {
              await own.get(Squares.at(id));
              done.push(id);
            },
          },
        ],
        { clock },
      );
      void start();
      await settled();
      await state.create(Squares.new('a', { value: 1 }));
      await eventually(() => expect(done).toEqual(['a']));
      expect(runtime.report().loop).toEqual({ lagMs: 0, holds: 0, lastHold: undefined, longestHold: undefined });

      await Promise.all([
        state.create(Numbers.new('a', { value: 1 })),
        state.create(Squares.new('b', { value: 1 })),
        state.create(Squares.new('c', { value: 1 })),
      ]);
      await eventually(() => expect(done).toEqual(['a', 'b', 'c']));
      const hold = { controller: 'Burner', heldMs: expect.any(Number), at: expect.any(String) };
      expect(runtime.report().loop).toMatchObject({ holds: 1, lastHold: hold, longestHold: hold });
      expect(runtime.report().loop.lastHold?.heldMs).toBeGreaterThanOrEqual(5_000);
      expect(logger.at('warn')).toMatchObject([
        { facts: { controller: 'Burner' }, message: 'the event loop was held up' },
      ]);
    },
  );

  it('W16: a loop over events that holds it is named, too, and slow work that awaits is not', async () => {
    const clock = new HeldClock();
    const { state, runtime, start } = harness(
      [
        {
          name: 'Looper',
          inputs: [weak(Numbers.kind)],
          async run({ events, state: own }) {
            for await (const _ of events) if ((await own.list(Numbers.kind)).length > 0) clock.hold(2_000);
          },
        },
        {
          name: 'Slow',
          inputs: [primary(Numbers.kind)],
          reconcile: (_, { signal }) => sleep(clock, 60_000, signal),
        },
      ],
      { clock },
    );
    void start();
    await settled();
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(runtime.report().loop.lastHold?.controller).toBe('Looper'));
    for (let second = 0; second < 70; second++) await clock.virtual.advance(1_000);
    await eventually(() => expect(runtime.report().controllers[1]?.inProgress).toBe(0));
    expect(runtime.report().loop).toMatchObject({ holds: 1, longestHold: { controller: 'Looper' } });
  });

  it('W16: leaves no timer behind', async () => {
    const { state, clock, runtime, start, stop } = harness([idle]);
    void start();
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(runtime.report().controllers[0]?.counts.reconciled).toBe(1));
    await stop();
    expect(clock.timers).toBe(0);
  });
});
