import { createServer } from 'node:net';
import { defineResource } from '@cosi-ts/resource';
import { exclusive, primary, type QueueController, requeueAfter, weak } from '@cosi-ts/runtime';
import { systemClock } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isExpectation, isLeak, type LeakError } from './expectation-error.js';
import { type TestRuntimeOptions, testRuntime } from './test-runtime.js';
import { Lamp, LampController, LampStatus } from './testdata/lamps.js';

const Numbers = defineResource<{ value: number }>({ type: 'Numbers.test.cosi.dev', namespace: 'test' });
const Squares = defineResource<{ value: number }>({ type: 'Squares.test.cosi.dev', namespace: 'test' });

function controller(name: string, more: Partial<QueueController> = {}): QueueController {
  return { name, inputs: [primary(Numbers.kind)], reconcile: () => undefined, ...more };
}

async function leaksOf(controllers: QueueController[], act: () => void = () => {}, options: TestRuntimeOptions = {}) {
  const test = testRuntime(new InMemoryState(), controllers, { shutdownGraceMs: 1000, ...options });
  await test.state.create(Numbers.new('a', { value: 1 }));
  act();
  await test.wait(Promise.resolve());
  const leaked = test.close().then(
    () => undefined,
    (error: unknown) => error,
  );
  const error = await leaked;
  await expect(test.close()).rejects.toBe(error);
  expect(error).toSatisfy(isLeak);
  return (error as LeakError).leaks;
}

describe('testRuntime', () => {
  it('runs controllers in virtual time, which goes on while the test waits', async () => {
    const house = new Map<string, number>();
    await using test = testRuntime(new InMemoryState(), [new LampController(house)]);
    // One step of its dimming takes 20 ms.
    await test.state.create(Lamp.new('desk', { brightness: 200 }));
    await test.untilResource(LampStatus.at('desk'), ({ spec }) => expect(spec.brightness).toBe(200));
    expect(test.clock.monotonicMs()).toBeGreaterThan(190 * 20);
    expect(test.log.at('info')).toMatchObject([{ facts: { controller: 'LampController', brightness: 200 } }]);
    await test.destroyAndWait(Lamp.at('desk'));
    await test.untilAbsent(LampStatus.at('desk'));
    await test.untilLength(LampStatus.kind, 0);
    expect(house.size).toBe(0);
  });

  it('runs through backoffs, without jitter', async () => {
    const attempts: number[] = [];
    await using test = testRuntime(new InMemoryState(), [
      controller('Flaky', {
        outputs: [exclusive(Squares)],
        async reconcile({ id }, { attempt, state }) {
          attempts.push(attempt);
          if (attempt < 5) throw new Error('no luck');
          await state.modify(Squares.at(id), (draft) => {
            draft.spec.value = attempt;
          });
        },
      }),
    ]);
    await test.state.create(Numbers.new('a', { value: 1 }));
    await test.untilResource(Squares.at('a'));
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    expect(test.clock.monotonicMs()).toBe(500 + 1000 + 2000 + 4000);
    await test.untilResources([Squares.at('a')], ({ spec }) => spec.value === 5);
    await test.untilList(Squares.kind, (squares) => squares.length === 1);
  });

  it('runs controllers of both kinds, on a clock of the test’s own', async () => {
    const events: number[] = [];
    await using test = testRuntime(
      new InMemoryState(),
      [
        {
          name: 'Counter',
          inputs: [weak(Numbers.kind)],
          outputs: [exclusive(Squares)],
          async run({ events: reconcile, state }) {
            for await (const { attempt } of reconcile) {
              events.push(attempt);
              const numbers = await state.list(Numbers.kind);
              await state.modify(Squares.at('count'), (draft) => {
                draft.spec.value = numbers.length;
              });
            }
          },
        },
      ],
      { clock: systemClock },
    );
    await test.state.create(Numbers.new('a', { value: 1 }));
    await test.untilResource(Squares.at('count'), ({ spec }) => expect(spec.value).toBe(1));
    expect(() => test.clock).toThrow('does not live in virtual time');
  });

  it('tells with a mismatch what the controllers complain of', async () => {
    await using test = testRuntime(
      new InMemoryState(),
      [
        controller('Broken', {
          reconcile: () => {
            throw new Error('the hypervisor is out');
          },
        }),
        controller('Fine'),
      ],
      { timeoutMs: 100, advanceMs: 2000 },
    );
    await test.state.create(Numbers.new('a', { value: 1 }));
    const failed = test.untilResource(Squares.at('a'));
    await expect(failed).rejects.toSatisfy(isExpectation);
    await expect(failed).rejects.toThrow(
      /it does not exist(.|\n)*what controllers failed with last:\n {2}Broken: the hypervisor is out \(failed 3 times/,
    );
    await expect(failed).rejects.not.toThrow('Fine');
  });

  it('hands on what the test throws while it waits', async () => {
    await using test = testRuntime(new InMemoryState(), []);
    await expect(test.wait(Promise.reject(new Error('of its own')))).rejects.toThrow('of its own');
  });

  it('finds work that ignores its signal', async () => {
    const stuck = controller('Stuck', { reconcile: () => new Promise(() => undefined) });
    expect(await leaksOf([stuck])).toEqual(['work of Stuck, which is stuck']);
  });

  it('finds timers, sockets and listeners of the process', async () => {
    const server = createServer();
    const listener = () => undefined;
    const intervals: ReturnType<typeof setInterval>[] = [];
    onTestFinished(() => {
      server.close();
      for (const interval of intervals) clearInterval(interval);
      process.off('SIGUSR2', listener);
    });
    const act = () => {
      server.listen(0, '127.0.0.1');
      // Several, since a timer of the test runner may end meanwhile.
      for (let i = 0; i < 5; i++) intervals.push(setInterval(() => undefined, 100_000));
      process.on('SIGUSR2', listener);
    };
    const leaks = await leaksOf([], act);
    expect(leaks).toEqual(
      expect.arrayContaining([
        '1 × TCPServerWrap',
        expect.stringMatching(/^\d+ × Timeout$/),
        "1 × listener to the process's SIGUSR2",
      ]),
    );
  });

  it('finds nothing where everything has ended, however it failed before', async () => {
    const failing = controller('Failing', {
      reconcile: () => {
        throw new Error('no luck');
      },
      runHook: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    });
    const waiting = controller('Waiting', { reconcile: () => requeueAfter(60_000) });
    const test = testRuntime(new InMemoryState(), [failing, waiting]);
    await test.state.create(Numbers.new('a', { value: 1 }));
    await test.clock.advance(1000);
    expect(test.clock.timers).toBeGreaterThan(0);
    await test.close();
    await test.close();
  });
});
