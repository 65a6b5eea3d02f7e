import { constants } from 'node:http2';
import net from 'node:net';
import { create as createMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import type { Event, Watch } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectState, serveState } from './index.js';
import type { StateServer } from './server/serve-state.js';
import { FakeServer } from './testdata/fake-server.js';
import { ManualClock } from './testdata/manual-clock.js';
import { ObservedCore } from './testdata/observed-core.js';
import { type RawCall, RawClient } from './testdata/raw-client.js';

const Blob = defineResource<{ text: string }>({ type: 'Blobs.test', namespace: 'a' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

function watchBytes(init: Parameters<typeof createMessage<typeof wire.WatchRequestSchema>>[1] = {}): Uint8Array {
  const request = createMessage(wire.WatchRequestSchema, {
    namespace: 'a',
    type: 'Blobs.test',
    apiVersion: 1,
    ...init,
  });
  return toBinary(wire.WatchRequestSchema, request);
}

describe('clients that go', () => {
  let core: ObservedCore;
  let server: StateServer;

  beforeEach(async () => {
    core = new ObservedCore(new InMemoryState());
    server = await serveState(core, { address: '127.0.0.1:0' });
  });

  afterEach(() => server.close());

  /** Writes until the server cannot send more to a client that does not read. */
  async function stall(): Promise<void> {
    for (let i = 0; i < 30; i++) {
      await core.create(Blob.new(`b${i}`, { text: 'x'.repeat(100_000) }));
      await turn();
    }
  }

  it('N9: a client that closes its watch frees the subscription, also when no event comes', async () => {
    const client = connectState(server.url);
    const watches = await Promise.all([
      client.watchKind(Blob.kind),
      client.watchKindAggregated(Blob.kind),
      client.watch(Blob.at('x')),
    ]);
    await core.watching(3);
    await Promise.all(watches.map((watch) => watch.close()));
    await core.watching(0);
    await client.close();
  });

  it('N9: a client whose connection ends frees all it held', async () => {
    const client = new RawClient(server.url);
    for (let i = 0; i < 10; i++) await client.call('Watch', watchBytes()).next();
    await core.watching(10);
    client.session.destroy();
    await core.watching(0);
  });

  it('N9: a client that does not read and goes frees the subscription', async () => {
    for (const end of [
      (_client: RawClient, call: RawCall) => call.cancel(),
      (client: RawClient) => client.session.destroy(),
      (client: RawClient) => client.socket.destroy(),
    ]) {
      await using client = new RawClient(server.url);
      const call = client.call('Watch', watchBytes({ options: { aggregated: true } }));
      await call.next();
      call.stream.pause();
      await stall();
      await core.watching(1);
      end(client, call);
      await core.watching(0);
      for (const { metadata } of await core.list(Blob.kind)) await core.destroy(metadata);
    }
  });

  it('N9: an HTTP/1.1 client that goes frees the subscription', async () => {
    const body = JSON.stringify({ namespace: 'a', type: 'Blobs.test' });
    const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, body.length]), Buffer.from(body)]);
    const controller = new AbortController();
    const response = await fetch(`${server.url}/cosi.resource.State/Watch`, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json' },
      body: frame,
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    await core.watching(1);
    controller.abort();
    await core.watching(0);
  });

  it('N9: a watch that goes while it is being established leaves nothing', async () => {
    await using client = new RawClient(server.url);
    const established = new Promise<void>((resolve) => {
      core.before = async (_name, options) => {
        call.cancel();
        const signal = options?.signal as AbortSignal;
        await new Promise((gone) => signal.addEventListener('abort', gone));
        // This state answers all the same.
        resolve();
      };
    });
    const call = client.call('Watch', watchBytes());
    await established;
    await turn();
    await core.watching(0);
  });
});

describe('errored watches', () => {
  const failing = () => new InMemoryState({ history: { maxEvents: 5 } });

  async function overrun(core: InMemoryState, call: RawCall): Promise<void> {
    call.stream.pause();
    for (let i = 0; i < 40; i++) {
      await core.create(Blob.new(`b${i}`, { text: 'x'.repeat(100_000) }));
      await turn();
    }
    call.stream.resume();
  }

  const isErrored = (message: Uint8Array) =>
    wireEvents(message).some(({ eventType }) => eventType === wire.EventType.ERRORED);

  it('W12: the stream stays open after an errored event until the client closes it, or for 5 s', async () => {
    const core = failing();
    const clock = new ManualClock();
    await using server = await serveState(core, { address: '127.0.0.1:0', clock });
    await using client = new RawClient(server.url);
    const call = client.call('Watch', watchBytes());
    await call.next();
    await overrun(core, call);
    let last = await call.next();
    while (last !== undefined && !isErrored(last)) last = await call.next();
    expect(last).toBeDefined();
    expect(clock.pending).toBe(1);
    clock.advance(4999);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(await call.all()).toEqual([]);
    expect((await call.status).code).toBe(0);
  });

  it('W12: a client of version 0 gets the overrun as the status, because it does not know the event', async () => {
    const core = failing();
    await using server = await serveState(core, { address: '127.0.0.1:0' });
    await using client = new RawClient(server.url);
    const call = client.call('Watch', watchBytes({ apiVersion: 0, options: { aggregated: true } }));
    await call.next();
    await overrun(core, call);
    const messages = await call.all();
    expect(messages.flatMap(wireEvents).filter(({ eventType }) => eventType !== wire.EventType.CREATED)).toEqual([]);
    expect(await call.status).toMatchObject({
      code: 10,
      message: expect.stringMatching(/^buffer overrun: namespace "a" type "Blobs.test"/),
    });
  });
});

function wireEvents(message: Uint8Array): readonly wire.Event[] {
  return fromBinary(wire.WatchResponseSchema, message).event;
}

describe('servers that go', () => {
  const established = { messages: [new Uint8Array(0)] };

  async function last(watch: Watch<Event>): Promise<unknown> {
    const { value } = await watch.next();
    expect((await watch.next()).done).toBe(true);
    return value;
  }

  it.each([
    ['a clean end', { code: 0, message: '' }, 'unavailable'],
    ['unavailable', { code: 14, message: 'away' }, 'unavailable'],
    ['internal', { code: 13, message: 'oops' }, 'unknown'],
    ['a deadline that nobody here set', { code: 4, message: 'late' }, 'unknown'],
  ])('N9: %s of an established watch is told as an errored event', async (_name, status, code) => {
    await using server = await FakeServer.start(() => ({ ...established, status }));
    await using client = connectState(server.url);
    const watch = await client.watchKind(Blob.kind);
    expect(await last(watch)).toMatchObject({ type: 'errored', error: { code } });
  });

  it('N9: a connection that is cut ends watches with an errored event and calls with unavailable', async () => {
    await using server = await FakeServer.start(({ rpc }) => (rpc === 'Watch' ? established : { messages: [] }));
    await using client = connectState(server.url);
    const watch = await client.watchKindAggregated(Blob.kind);
    const pending = watch.next();
    const call = client.get(Blob.at('x')).catch((error: unknown) => error);
    while (server.calls.length < 2) await turn();
    server.cut();
    expect((await pending).value).toMatchObject([{ type: 'errored', error: { code: 'unavailable' } }]);
    expect(await call).toMatchObject({ code: 'unavailable' });
  });

  it('N9: a stream that is reset ends the watch with an errored event', async () => {
    await using server = await FakeServer.start(() => established);
    await using client = connectState(server.url);
    for (const code of [constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_NO_ERROR]) {
      const watch = await client.watchKind(Blob.kind);
      server.calls.at(-1)?.stream.close(code);
      expect([code, await last(watch)]).toMatchObject([code, { type: 'errored', error: { code: 'unavailable' } }]);
    }
  });

  it('W1: an end before the first message rejects the call', async () => {
    await using server = await FakeServer.start(() => ({ messages: [], status: { code: 0, message: '' } }));
    await using client = connectState(server.url);
    await expect(client.watchKind(Blob.kind)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('W3: the client closes the stream after an errored event, and gives nothing more', async () => {
    const event = [{ eventType: wire.EventType.ERRORED, error: 'broken' }];
    const errored = toBinary(wire.WatchResponseSchema, createMessage(wire.WatchResponseSchema, { event }));
    await using server = await FakeServer.start(() => ({ messages: [new Uint8Array(0), errored, errored] }));
    await using client = connectState(server.url);
    const watch = await client.watchKind(Blob.kind);
    expect(await last(watch)).toMatchObject({ type: 'errored', error: { code: 'unknown', message: 'broken' } });
    expect(await server.calls[0]?.closed).toBe(constants.NGHTTP2_CANCEL);
  });

  it('N7: an event that cannot be read ends the watch, and the stream', async () => {
    const event = [{ eventType: wire.EventType.CREATED }];
    const message = toBinary(wire.WatchResponseSchema, createMessage(wire.WatchResponseSchema, { event }));
    await using server = await FakeServer.start(() => ({ messages: [new Uint8Array(0), message] }));
    await using client = connectState(server.url);
    const watch = await client.watchKind(Blob.kind);
    expect(await last(watch)).toMatchObject({ type: 'errored', error: { code: 'corrupt' } });
    expect(await server.calls[0]?.closed).toBe(constants.NGHTTP2_CANCEL);
  });

  it('N9: a server that is no server of ours makes calls fail', async () => {
    const silent = net.createServer((socket) => socket.resume().end('220 mail\r\n'));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as net.AddressInfo;
    const client = connectState(`http://127.0.0.1:${port}`);
    await expect(client.get(Blob.at('x'))).rejects.toMatchObject({ code: 'unavailable' });
    await client.close();
    await new Promise((resolve) => silent.close(resolve));
  });
});
