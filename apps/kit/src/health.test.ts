import type { Kind } from '@cosi-ts/resource';
import { primary, type QueueController, Runtime } from '@cosi-ts/runtime';
import { VirtualClock, type WatchKindOptions } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { RecordingLogger, testRuntime } from '@cosi-ts/testing';
import { expect, it } from 'vitest';
import { healthOf } from './health.js';
import { healthView } from './http/health-view.js';
import { Thing } from './testdata/things.js';

const cached = [Thing.kind];
const counter: QueueController = { name: 'Counter', inputs: [primary(Thing.kind)], reconcile: async () => undefined };

it('W16: is good when controllers, watches and caches are', async () => {
  await using test = testRuntime(new InMemoryState(), [counter], { cached, checkHost: false });
  await test.state.create(Thing.new('a', { size: 1 }));
  await test.wait(until(() => expect(healthOf(test.runtime.report()).problems).toEqual([])));
  await test.wait(until(() => expect(test.runtime.report().caches[0]?.resources).toBe(1)));
  const health = healthOf(test.runtime.report());
  expect(health.ready).toBe(true);
  expect(healthView(health)).toMatchObject({
    status: 'live',
    loop: { lagMs: 0, holds: 0, longestHold: null },
    parts: [
      { part: 'watch', name: 'things/Things.test.cosi.dev', status: 'live', resources: 1, failures: 0 },
      { part: 'cache', name: 'things/Things.test.cosi.dev', status: 'live', resources: 1, failures: null },
      { part: 'controller', name: 'Counter', status: 'live', resources: null },
    ],
    controllers: [{ name: 'Counter', status: 'running', reason: '', failed: 0, restarts: 0 }],
  });
});

/** A state whose watches never begin, or always break. */
class BrokenWatches extends InMemoryState {
  constructor(readonly how: 'silent' | 'broken') {
    super();
  }

  override watchKindAggregated(_: Kind, { signal }: WatchKindOptions = {}): Promise<never> {
    if (this.how === 'broken') return Promise.reject(new Error('the disk is on fire'));
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }
}

it.each([
  ['silent', 'starting', 'its first list has not come yet'],
  ['broken', 'degraded', 'the disk is on fire'],
] as const)('W16: names a cache whose watch is %s', async (how, status, reason) => {
  const clock = new VirtualClock();
  await using runtime = new Runtime(new BrokenWatches(how), { cached, clock, logger: new RecordingLogger() });
  runtime.register(counter);
  const running = runtime.run();
  await clock.advance(10_000);
  const health = healthOf(runtime.report());
  expect(health.ready).toBe(false);
  expect(health.problems).toContain(`the cache things/Things.test.cosi.dev is ${status}: ${reason}`);
  expect(healthView(health).parts).toContainEqual(expect.objectContaining({ part: 'cache', status, reason }));
  await runtime.close();
  await running;
});

async function until(check: () => void): Promise<void> {
  for (;;) {
    try {
      return check();
    } catch {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
