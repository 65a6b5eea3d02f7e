import { EventEmitter } from 'node:events';
import { nextTurn, systemClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isLeaseLost } from './election/lease-lost.js';
import { StateElection } from './election/state-election.js';
import { primary, weak } from './inputs.js';
import { exclusive } from './outputs.js';
import { installProcessHandlers } from './process-handlers.js';
import type { QueueController, ReconcileContext } from './queue-controller.js';
import { Runtime } from './runtime.js';
import { defaultRuntimeOptions } from './runtime-options.js';
import { AskingMeter } from './testdata/asking-meter.js';
import { eventually, harness, RecordingLogger } from './testdata/harness.js';
import { Cubes, Numbers, Squares } from './testdata/kinds.js';

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

function fail(message: string): never {
  throw new Error(message);
}

/** What a controller can do to its runtime. */
interface Misdeed {
  readonly act: (context: ReconcileContext) => Promise<void> | void;
  /** The metric that tells of it. */
  readonly metric: 'crashes' | 'escaped' | 'timeouts';
  /** What the log and the report say. */
  readonly message: string;
}

const deadlineMs = 1000;

const misdeeds: Readonly<Record<string, Misdeed>> = {
  'throws at once': { act: () => fail('at once'), metric: 'crashes', message: 'at once' },
  'throws later': {
    act: async () => {
      await nextTurn();
      fail('later');
    },
    metric: 'crashes',
    message: 'later',
  },
  'throws what is no error': {
    act: () => {
      throw 'a text';
    },
    metric: 'crashes',
    message: '"a text" was thrown, which is no error',
  },
  'rejects with what is no error': {
    act: () => Promise.reject(undefined),
    metric: 'crashes',
    message: 'undefined was thrown, which is no error',
  },
  "throws in a timer's callback": {
    act: () => void setTimeout(() => fail('in a timer'), 1),
    metric: 'escaped',
    message: 'in a timer',
  },
  'throws in an event handler': {
    act: () => {
      const emitter = new EventEmitter().once('event', () => fail('in a handler'));
      setTimeout(() => emitter.emit('event'), 1);
    },
    metric: 'escaped',
    message: 'in a handler',
  },
  'lets a promise reject that nobody awaits': {
    act: () => void Promise.reject(new Error('floating')),
    metric: 'escaped',
    message: 'floating',
  },
  'waits forever': {
    act: () => new Promise(() => undefined),
    metric: 'timeouts',
    message: expect.stringContaining(`${deadlineMs} ms`),
  },
};

/** A controller that notes what it has worked on. */
function diligent(): { readonly controller: QueueController; readonly done: Set<string> } {
  const done = new Set<string>();
  const controller: QueueController = {
    name: 'Diligent',
    inputs: [primary(Squares.kind)],
    async reconcile({ id }, { state }) {
      await state.get(Squares.at(id));
      done.add(id);
    },
  };
  return { controller, done };
}

describe('a controller in bad company', () => {
  it.each(Object.entries(misdeeds))('C5, C12, C14, W16: goes on while another one %s', async (_, misdeed) => {
    withoutOtherHandlers();
    const { metric, message, act } = misdeed;
    const { controller, done } = diligent();
    const bad: QueueController = {
      name: 'Bad',
      inputs: [primary(Numbers.kind)],
      concurrency: 4,
      reconcileDeadlineMs: deadlineMs,
      reconcile: (_pointer, context) => act(context),
    };
    const asking = new AskingMeter();
    const { runtime, state, start, stop, clock, logger } = harness([bad, controller], { meter: asking.meter });
    using _handlers = installProcessHandlers(runtime, process);
    void start();
    const misdeedsDone = 20;
    for (let i = 0; i < misdeedsDone; i++) await state.create(Numbers.new(`${i}`, { value: i }));
    for (let i = 0; i < 200; i++) await state.create(Squares.new(`${i}`, { value: i }));
    await eventually(() => expect(done.size).toBe(200));
    // The first ones that wait forever must be given up for the next ones to be begun.
    for (let round = 0; metric === 'timeouts' && round < misdeedsDone / 4; round++) await clock.advance(deadlineMs);
    const told = () => asking.ask()[`cosi.controller.${metric} Bad`];
    await vi.waitFor(() => expect(told()).toBeGreaterThanOrEqual(misdeedsDone));

    const logged = logger.at('error').filter(({ facts }) => facts.controller === 'Bad');
    expect(logged.length).toBeGreaterThanOrEqual(misdeedsDone);
    for (const { facts } of logged) {
      expect(facts.err).toMatchObject({ message, stack: expect.stringContaining('Error') });
    }
    const { controllers, health } = runtime.report();
    expect(controllers).toMatchObject([
      { name: 'Bad', status: 'running', restarts: 0, lastError: { message } },
      { name: 'Diligent', status: 'running', restarts: 0, lastError: undefined, counts: { failed: 0, escaped: 0 } },
    ]);
    expect(health.parts.find(({ name }) => name === 'Diligent')?.status).toBe('live');
    if (metric === 'timeouts') expect(health.parts.find(({ name }) => name === 'Bad')?.status).toBe('degraded');
    await state.create(Squares.new('after', { value: 1 }));
    await eventually(() => expect(done).toContain('after'));
    // What waits forever is left behind at the end of the grace time.
    const stopped = stop();
    await clock.advance(defaultRuntimeOptions.shutdownGraceMs);
    await stopped;
  });

  it('C5, C14, W16: goes on while the run of another one throws whatever it likes, again and again', async () => {
    const { controller, done } = diligent();
    let runs = 0;
    const bad = {
      name: 'Bad',
      inputs: [weak(Numbers.kind)],
      run(): Promise<void> {
        if (++runs % 2 === 0) throw 'a text';
        return Promise.reject(new Error('no luck'));
      },
    };
    const { runtime, state, start, clock } = harness([bad, controller]);
    void start();
    for (let i = 0; i < 50; i++) {
      await state.create(Squares.new(`${i}`, { value: i }));
      await clock.advance(10_000);
    }
    await eventually(() => expect(done.size).toBe(50));
    expect(runtime.report().controllers[0]?.restarts).toBeGreaterThan(5);
    const health = runtime.report().health.parts.find(({ name }) => name === 'Bad');
    expect(health).toMatchObject({ status: 'degraded', reason: expect.stringMatching(/no luck|a text/) });
  });
});

describe('a busy loop of five seconds', () => {
  it('C18, W16: is told of with who did it; others catch up, and a lease that ran out stops the work under it', {
    timeout: 60_000,
  }, async () => {
    const core = new InMemoryState();
    const state = wrapState(core);
    const logger = new RecordingLogger();
    const leaderElection = new StateElection(state, { leaseMs: 4000, renewDeadlineMs: 2500, retryMs: 200, logger });
    const runtime = new Runtime(core, { logger, leaderElection });
    const { controller, done } = diligent();
    const outcomes: unknown[] = [];
    let isHeld = false;
    const led: QueueController = {
      name: 'Led',
      needsLeader: true,
      inputs: [primary(Numbers.kind)],
      outputs: [exclusive(Cubes)],
      async reconcile({ id }, { state: own }) {
        if (id !== 'led' || outcomes.length > 0) return;
        await own.create(Cubes.new('before', { value: 1 }));
        await state.create(Numbers.new('burn', { value: 1 }));
        while (!isHeld) await nextTurn();
        outcomes.push(await own.create(Cubes.new('after', { value: 1 })).catch((error: unknown) => error));
      },
    };
    const burner: QueueController = {
      name: 'Burner',
      inputs: [primary(Numbers.kind)],
      reconcile({ id }) {
        if (id !== 'burn') return;
        const untilMs = systemClock.monotonicMs() + 5000;
        while (systemClock.monotonicMs() < untilMs);
        isHeld = true;
      },
    };
    for (const each of [led, burner, controller]) runtime.register(each);
    const running = runtime.run();
    onTestFinished(async () => {
      await runtime.close();
      await running;
    });
    await state.create(Numbers.new('led', { value: 1 }));
    for (let i = 0; i < 100; i++) await state.create(Squares.new(`${i}`, { value: i }));
    await vi.waitFor(() => expect(outcomes).toHaveLength(1), { timeout: 30_000 });
    expect(outcomes[0]).toSatisfy(isLeaseLost);
    expect((await state.list(Cubes.kind)).map(({ metadata }) => metadata.id)).toEqual(['before']);
    await vi.waitFor(() => expect(done.size).toBe(100));
    const { loop } = runtime.report();
    expect(loop.longestHold).toMatchObject({ controller: 'Burner' });
    expect(loop.longestHold?.heldMs).toBeGreaterThanOrEqual(4700);
    // It leads again, and has everything to do again.
    await vi.waitFor(() => expect(runtime.report().controllers[0]?.status).toBe('running'), { timeout: 20_000 });
    await state.create(Squares.new('after', { value: 1 }));
    await vi.waitFor(() => expect(done).toContain('after'));
  });
});
