import { create as createMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectState, serveState } from './index.js';
import type { StateServer } from './server/serve-state.js';
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
    await using server = await serveState(core, { address: '127.0.0.1:0', clock, pingIntervalMs: 0 });
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
