import { constants } from 'node:http2';
import net from 'node:net';
import { defineResource, isNotFound, isOutcomeUnknown } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { serveState } from '../server/serve-state.js';
import { type FakeAnswer, type FakeCall, FakeServer } from '../testdata/fake-server.js';
import { ManualClock } from '../testdata/manual-clock.js';
import { ObservedCore } from '../testdata/observed-core.js';
import { connectState } from './connect-state.js';

const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });
const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
const away = { code: 'unavailable' };
const turn = () => new Promise((resolve) => setImmediate(resolve));
const soon = { resumeBackoff: { initialMs: 5, maxMs: 20 } };
const notFound: FakeAnswer = { messages: [], status: { code: 5, message: 'no' } };

/** An address at which nobody listens, for now. */
async function freeAddress(): Promise<string> {
  const server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
  await server.close();
  return server.address;
}

/** Begins calls of each kind. */
function allCalls(client: ReturnType<typeof connectState>) {
  return [
    failure(client.get(Thing.at('x'))),
    failure(client.list(Thing.kind)),
    failure(client.create(Thing.new('y', { n: 1 }))),
    failure(client.update(Thing.new('x', { n: 1 }))),
    failure(client.destroy(Thing.at('x'))),
    failure(client.teardown(Thing.at('x'))),
    failure(client.teardownAndDestroy(Thing.at('x'))),
    failure(client.watch(Thing.at('x'))),
    failure(client.watchKind(Thing.kind)),
  ];
}

describe('a call to a server that is away', () => {
  it('fails at once unless it is told to wait', async () => {
    await using client = connectState(`http://${await freeAddress()}`);
    for (const error of await Promise.all(allCalls(client))) {
      expect(error).toMatchObject(away);
      expect(isOutcomeUnknown(error)).toBe(false);
    }
  });

  it('S7: says of writes alone, and of those that were under way, that their outcome is not known', async () => {
    await using server = await FakeServer.start(({ stream }) => {
      stream.session?.destroy();
      return { messages: [] };
    });
    await using client = connectState(server.url);
    const errors = await Promise.all(allCalls(client));
    expect(errors.map(isOutcomeUnknown)).toEqual([false, false, true, true, true, true, true, false, false]);
    expect(errors[3]).toMatchObject({
      message: expect.stringMatching(/whether the update had its effect is not known$/),
    });
  });

  it('waits until the server is there, whatever it does, and does it once', async () => {
    // Something that ends each connection: every attempt is seen.
    let attempts = 0;
    const nobody = net.createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(nobody.address() as net.AddressInfo).port}`;
    await using client = connectState(`http://${address}`, { ...soon, waitForReadyMs: 60_000 });
    const calls = allCalls(client);
    let settled = 0;
    for (const call of calls) void call.then(() => settled++);
    while (attempts < 3) await turn();
    expect(settled).toBe(0);
    await new Promise((resolve) => nobody.close(resolve));
    const core = new ObservedCore(new InMemoryState());
    const done: string[] = [];
    core.before = async (name) => void done.push(name);
    const server = await serveState(core, { address });
    const outcomes = await Promise.all(calls);
    expect(outcomes.map(isNotFound)).toEqual([true, false, false, true, true, true, true, false, false]);
    expect(Array.isArray(outcomes[1])).toBe(true);
    expect(outcomes[2]).toMatchObject({ metadata: { id: 'y' } });
    for (const name of ['create', 'update', 'destroy']) expect(done.filter((each) => each === name)).toHaveLength(1);
    await client.close();
    await server.close();
  });

  it('gives up when its time is up, with what went wrong last', async () => {
    const clock = new ManualClock();
    await using client = connectState(`http://${await freeAddress()}`, { clock, waitForReadyMs: 5000 });
    const calls = allCalls(client);
    let settled = 0;
    for (const call of calls) void call.then(() => settled++);
    while (settled < calls.length) {
      clock.advance(100);
      await turn();
    }
    for (const error of await Promise.all(calls)) expect(error).toMatchObject(away);
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(5000);
    expect(clock.pending).toBe(0);
  });

  it('S1, N5: ends with the reason of its signal, with its own time, and when the client is closed', async () => {
    const client = connectState(`http://${await freeAddress()}`, { waitForReadyMs: 1e9 });
    const controller = new AbortController();
    const aborted = failure(client.get(Thing.at('x'), { signal: controller.signal }));
    const expired = failure(client.create(Thing.new('x', { n: 1 }), { timeoutMs: 1 }));
    const others = allCalls(client);
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    expect(await expired).toMatchObject({ code: 'transport/deadline-exceeded' });
    await client.close();
    for (const error of await Promise.all(others))
      expect(['closed', 'unavailable']).toContain((error as { code: string }).code);
  });

  it('is no write that the server may have begun with', async () => {
    let cuts = 0;
    const cutFirst = ({ stream }: FakeCall): FakeAnswer => {
      if (cuts++ > 0) return notFound;
      stream.session?.destroy();
      return { messages: [] };
    };
    for (const [name, made] of [
      ['get', 2],
      ['destroy', 1],
      ['teardown', 1],
    ] as const) {
      cuts = 0;
      await using server = await FakeServer.start(cutFirst);
      await using client = connectState(server.url, { ...soon, waitForReadyMs: 60_000 });
      const error = await failure(client[name](Thing.at('x')));
      expect([name, error]).toMatchObject([name, { code: made === 2 ? 'not-found' : 'unavailable' }]);
      expect([name, isOutcomeUnknown(error)]).toEqual([name, made === 1]);
      expect(server.calls).toHaveLength(made);
    }
  });

  it('is a write that the server refused before it began with it', async () => {
    let refused = false;
    await using server = await FakeServer.start(({ stream }) => {
      if (refused) return notFound;
      refused = true;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return { messages: [] };
    });
    await using client = connectState(server.url, { ...soon, waitForReadyMs: 60_000 });
    expect(await failure(client.destroy(Thing.at('x')))).toMatchObject({ code: 'not-found' });
    expect(server.calls).toHaveLength(2);
  });

  it('C17: what is no time is refused', () => {
    for (const waitForReadyMs of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => connectState('http://127.0.0.1:1', { waitForReadyMs })).toThrow(/waitForReadyMs/);
  });
});
