import { defineResource, isCosiError } from '@cosi-ts/resource';
import { type Clock, systemClock, VirtualClock } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { serveState } from '../server/serve-state.js';
import { type FakeAnswer, FakeServer } from '../testdata/fake-server.js';
import { ObservedCore } from '../testdata/observed-core.js';
import { connectState } from './connect-state.js';
import { Deadline } from './deadline.js';
import { DeadlineExceededError } from './deadline-exceeded.js';

const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const silent: FakeAnswer = { messages: [] };
const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe('Deadline', () => {
  it.each([
    [1500, '1500m'],
    [0.2, '1m'],
    [99_999_999, '99999999m'],
    [100_000_000, '100000S'],
    [1e12, '277778H'],
    [1e18, '99999999H'],
  ])('C17: %d ms are sent as %s', (timeoutMs, header) => {
    const deadline = new Deadline(timeoutMs, new VirtualClock(), Thing.kind);
    expect(deadline.header()).toBe(header);
    deadline.stop();
  });

  it('sends what is left', async () => {
    const clock = new VirtualClock();
    const deadline = new Deadline(1000, clock, Thing.kind);
    await clock.advance(600);
    expect(deadline.header()).toBe('400m');
    await clock.advance(400);
    expect(deadline.signal.reason).toBeInstanceOf(DeadlineExceededError);
  });

  it('is over when its time is up, whether its timer has said so or not', () => {
    let nowMs = 0;
    const late: Clock = { ...systemClock, monotonicMs: () => nowMs, schedule: () => ({ cancel: () => undefined }) };
    const deadline = new Deadline(1000, late, Thing.kind);
    nowMs = 999;
    deadline.throwIfOver();
    nowMs = 1000;
    expect(() => deadline.throwIfOver()).toThrow(DeadlineExceededError);
    expect(deadline.signal.aborted).toBe(false);
  });

  it('C17: what is no time is refused', async () => {
    for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => connectState('http://127.0.0.1:1', { timeoutMs })).toThrow(RangeError);
      await using client = connectState('http://127.0.0.1:1');
      await expect(client.get(Thing.at('x'), { timeoutMs })).rejects.toThrow(RangeError);
      await expect(client.watchKind(Thing.kind, { timeoutMs })).rejects.toThrow(RangeError);
    }
  });
});

describe('the time of a call', () => {
  it('N5: is sent, and ends the call and its work', async () => {
    await using server = await FakeServer.start(() => silent);
    const clock = new VirtualClock();
    await using client = connectState(server.url, { clock, timeoutMs: 5000 });
    const calls = [
      failure(client.get(Thing.at('x'))),
      failure(client.list(Thing.kind, { timeoutMs: 2000 })),
      failure(client.teardownAndDestroy(Thing.at('x'), { timeoutMs: 3000 })),
      failure(client.watchKind(Thing.kind)),
    ];
    while (server.calls.length < 4) await turn();
    const timeouts = Object.fromEntries(server.calls.map(({ rpc, headers }) => [rpc, headers['grpc-timeout']]));
    expect(timeouts).toEqual({ Get: '5000m', List: '2000m', TeardownAndDestroy: '3000m', Watch: undefined });
    await clock.advance(5000);
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(DeadlineExceededError);
      expect(isCosiError(error) && error.code).toBe('transport/deadline-exceeded');
    }
    expect(await Promise.all(server.calls.map(({ closed }) => closed))).toEqual([8, 8, 8, 8]);
    expect(clock.timers).toBe(0);
  });

  it('N5: that was given to the client is not for what waits', async () => {
    await using server = await FakeServer.start(({ rpc }) =>
      rpc === 'Watch' ? { messages: [new Uint8Array(0)] } : silent,
    );
    const clock = new VirtualClock();
    const client = connectState(server.url, { clock, timeoutMs: 1000, keepalive: { timeoutMs: 1e6 } });
    const watch = await client.watchKind(Thing.kind);
    const next = watch.next();
    const waiting = failure(client.teardownAndDestroy(Thing.at('x')));
    while (server.calls.length < 2) await turn();
    await clock.advance(100_000);
    await client.close();
    expect([(await next).done, await waiting]).toMatchObject([true, { code: 'closed' }]);
  });

  it('N9: a watch whose own time is up ends, whatever it is doing', async () => {
    const answers: FakeAnswer[] = [{ messages: [new Uint8Array(0)] }];
    await using server = await FakeServer.start(() => answers.shift() ?? silent);
    const clock = new VirtualClock();
    await using client = connectState(server.url, { clock, keepalive: { timeoutMs: 1e6 } });
    const startFromBookmark = Uint8Array.of(1);
    const live = await client.watchKind(Thing.kind, { startFromBookmark, timeoutMs: 60_000 });
    expect(server.calls[0]?.headers['grpc-timeout']).toBe('60000m');
    const next = live.next();
    await clock.advance(20_000);
    server.cut();
    // Now it is being established again, which takes forever.
    while (server.calls.length < 2) await clock.advance(100);
    expect(server.calls[1]?.headers['grpc-timeout']).toMatch(/^39\d{3}m$/);
    await clock.advance(60_000);
    expect((await next).value).toMatchObject({ type: 'errored', error: { code: 'transport/deadline-exceeded' } });
    expect((await live.next()).done).toBe(true);
  });

  it('N5: ends the work on a server of ours', async () => {
    const core = new ObservedCore(new InMemoryState());
    const reached = new Promise<AbortSignal>((resolve) => {
      core.before = (_name, options) => {
        const signal = options?.signal as AbortSignal;
        resolve(signal);
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      };
    });
    await using server = await serveState(core, { address: '127.0.0.1:0' });
    await using client = connectState(server.url);
    const error = failure(client.get(Thing.at('x'), { timeoutMs: 1000 }));
    expect((await reached).aborted || (await error)).toBeTruthy();
    expect(await error).toMatchObject({ code: 'transport/deadline-exceeded' });
  });
});
