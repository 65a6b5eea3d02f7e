import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { primary } from './inputs.js';
import { consoleLogger, guardedLogger } from './logger.js';
import { RequeueError } from './requeue.js';
import { recording } from './testdata/controllers.js';
import { eventually, harness } from './testdata/harness.js';
import { Numbers } from './testdata/kinds.js';
import { errorOf } from './thrown.js';

const fail = () => {
  throw new Error('not to be read');
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function errorWith(key: PropertyKey, more: object = {}): Error {
  return Object.defineProperty(Object.assign(new Error('no luck'), more), key, { get: fail });
}

/** Things that throw anew when they are looked at. */
const unreadable: Record<string, unknown> = {
  'a revoked proxy': revoked(),
  'a proxy that gives nothing': new Proxy({}, { get: fail, getPrototypeOf: fail }),
  'an error without a message': errorWith('message'),
  'an error without a stack': errorWith('stack'),
  'an error without a code': errorWith('code', { [Symbol.for('@cosi-ts/error')]: true }),
  'a function without a text': Object.assign(() => undefined, { toString: fail }),
};
const names = Object.keys(unreadable);

describe('what cannot be read', () => {
  it.each(names)('C14: %s that is thrown is logged as such, and the item is tried again', async (name) => {
    const { controller } = recording({
      name: 'Bad',
      concurrency: 2,
      reconcile({ id }) {
        if (id === 'now') throw unreadable[name];
        return Promise.reject(unreadable[name]);
      },
    });
    const good = recording({ name: 'Good', inputs: [primary(Numbers.kind)] });
    const { runtime, state, start, stop, logger } = harness([controller, good.controller]);
    const running = start();
    for (const id of ['now', 'later']) await state.create(Numbers.new(id, { value: 1 }));
    await eventually(() => expect(good.calls.length).toBe(2));
    expect(runtime.report().controllers[0]).toMatchObject({ inProgress: 0, waiting: 2, counts: { failed: 2 } });
    const messages = logger.at('error').map(({ facts }) => (facts.err as Error).message);
    expect(messages).toEqual(Array(2).fill('something was thrown that cannot be read'));
    await stop();
    await running;
  });

  it.each(names)('C14: a hook that throws %s is started again', async (name) => {
    let calls = 0;
    const { controller } = recording({
      runHook() {
        if (++calls === 1) throw unreadable[name];
      },
    });
    const { clock, start } = harness([controller]);
    void start();
    await eventually(() => expect(calls).toBe(1));
    await clock.advance(500);
    expect(calls).toBe(2);
  });

  it.each(names)('C14: a logger lives on that is given %s', (name) => {
    const spy = vi.spyOn(console, 'error').mockImplementation((_message, ...about) => {
      if (about.length > 0) fail();
    });
    onTestFinished(() => spy.mockRestore());
    guardedLogger(consoleLogger()).error({ err: unreadable[name] }, 'failed');
    expect(spy).toHaveBeenLastCalledWith('a logger failed on a record, which cannot be shown either');
  });

  it('C14: an error is given as it is, whatever its cause', () => {
    const error = new Error('no luck', { cause: revoked() });
    expect(errorOf(error)).toBe(error);
  });
});

it('C17: a requeue whose delay was spoilt is a failure like others', async () => {
  const { controller } = recording({
    reconcile() {
      throw Object.assign(new RequeueError(5), { requeueAfterMs: Number.NaN });
    },
  });
  const { runtime, state, start } = harness([controller]);
  void start();
  await state.create(Numbers.new('a', { value: 1 }));
  await eventually(() =>
    expect(runtime.report().controllers[0]).toMatchObject({ inProgress: 0, waiting: 1, counts: { failed: 1 } }),
  );
});
