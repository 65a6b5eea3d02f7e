import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { createConnectTransport } from '@connectrpc/connect-node';
import { wire } from '@cosi-ts/proto';
import { type CosiError, defineResource, isResourceExhausted } from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { connectChannel } from './client/connect-channel.js';
import { resolveConnectStateOptions } from './client/options.js';
import { type RemoteState, remoteState } from './client/remote-state.js';
import { connectState, serveState } from './index.js';
import { batchBytes } from './limits.js';
import { ManualClock } from './testdata/manual-clock.js';
import { connected } from './testdata/pair.js';
import { RawClient } from './testdata/raw-client.js';

const Blob = defineResource<{ text: string }>({ type: 'Blobs.test', namespace: 'a' });
const blob = (id: string, bytes: number) => Blob.new(id, { text: 'x'.repeat(bytes / 2) });
const mebibyte = 1024 * 1024;
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as CosiError,
  );

const bootstrap = create(wire.WatchRequestSchema, {
  namespace: 'a',
  type: 'Blobs.test',
  apiVersion: 1,
  options: { aggregated: true, bootstrapContents: true },
});

describe('sizes of messages', () => {
  it('N6: no message of an aggregated watch exceeds 1 MiB unless a single event does', async () => {
    const core = new InMemoryState();
    for (let i = 0; i < 12; i++) await core.create(blob(`b${i}`, 400_000));
    await core.create(blob('large', 3 * mebibyte));
    await using server = await serveState(core, { address: '127.0.0.1:0' });
    await using client = new RawClient(server.url);
    const call = client.call('Watch', toBinary(wire.WatchRequestSchema, bootstrap));
    expect((await call.next())?.length).toBe(0);
    const counts: number[] = [];
    for (let last: wire.EventType | undefined; last !== wire.EventType.BOOTSTRAPPED; ) {
      const message = (await call.next()) as Uint8Array;
      const { event } = fromBinary(wire.WatchResponseSchema, message);
      counts.push(event.length);
      expect(event.length === 1 || message.length <= batchBytes).toBe(true);
      last = event.at(-1)?.eventType;
    }
    expect(counts.reduce((sum, count) => sum + count)).toBe(14);
    expect(counts.length).toBeGreaterThan(5);
  });

  it('N6: a resource that is too large is refused where it is sent, and where it arrives', async () => {
    const core = new InMemoryState();
    await using narrow = await connected(core, { client: { maxMessageBytes: mebibyte } });
    const sent = await failure(narrow.client.create(blob('x', 1.1 * mebibyte)));
    expect([isResourceExhausted(sent), sent?.subject]).toMatchObject([true, { id: 'x' }]);
    expect(sent?.message).toMatch(/Blobs\.test.*x.*1048576/);
    await core.create(blob('y', 1.1 * mebibyte));
    const got = await failure(narrow.client.get(Blob.at('y')));
    expect([isResourceExhausted(got), got?.message]).toMatchObject([true, expect.stringContaining('1048576')]);

    await using strict = await connected(core, { server: { maxMessageBytes: mebibyte } });
    const refused = await failure(strict.client.create(blob('z', 1.1 * mebibyte)));
    expect([isResourceExhausted(refused), refused?.message]).toMatchObject([true, expect.stringContaining('1048576')]);
    const unsent = await failure(strict.client.get(Blob.at('y')));
    expect([isResourceExhausted(unsent), unsent?.subject]).toMatchObject([true, { id: 'y' }]);
    const watch = await strict.client.watchKind(Blob.kind, { bootstrapContents: true });
    expect((await watch.next()).value).toMatchObject({ type: 'errored', error: { code: 'resource-exhausted' } });
    expect((await watch.next()).done).toBe(true);
    expect(await failure(strict.client.list(Blob.kind))).toMatchObject({ code: 'resource-exhausted' });
    expect(await strict.client.list({ namespace: 'a', type: 'Others.test' })).toEqual([]);
  });

  it.each([
    ['gRPC', (url: string) => connectState(url)],
    [
      'Connect in JSON',
      (url: string) => {
        const transport = createConnectTransport({ baseUrl: url, httpVersion: '1.1', useBinaryFormat: false });
        return remoteState(connectChannel(transport), resolveConnectStateOptions({ resume: false }), () => {});
      },
    ],
  ])(
    'N6: what can be written over %s can be read and watched, and what is refused is not written',
    async (_name, connect) => {
      const core = new InMemoryState();
      await using server = await serveState(core, { address: '127.0.0.1:0', maxMessageBytes: 4096 });
      await using client = connect(server.url);
      await using reader = connectState(server.url);
      const watch = await reader.watchKind(Blob.kind);
      let refused = 0;
      let written = 0;
      // Each is sent as a message and as YAML, and what a state adds takes some dozens of bytes.
      for (let bytes = 1000; bytes < 2100; bytes += 37) {
        const id = `b${bytes}`;
        const text = 'x'.repeat(bytes);
        const made = await client.create(Blob.new(id, { text: '' }));
        const update = Blob.new(id, { text }).withMetadata(made.metadata);
        for (const error of [
          await failure(client.create(Blob.new(`${id}-new`, { text }, { labels: { bytes: 'new' } }))),
          await failure(client.update(update)),
        ]) {
          if (error === undefined) written++;
          else {
            expect(error).toMatchObject({ code: 'resource-exhausted', message: expect.stringContaining('4096') });
            refused++;
          }
        }
      }
      expect(Math.min(refused, written)).toBeGreaterThan(4);
      const kept = await client.list(Blob.kind);
      expect(kept.filter(({ metadata }) => metadata.version === 2n || 'bytes' in metadata.labels)).toHaveLength(
        written,
      );
      for (
        let events = 0;
        events < kept.length + kept.filter(({ metadata }) => metadata.version === 2n).length;
        events++
      )
        expect((await watch.next()).value?.type).toMatch(/created|updated/);
    },
  );

  it.each<[string, (url: string) => RemoteState]>([
    ['gRPC', (url) => connectState(url, { maxMessageBytes: 64 * mebibyte })],
    [
      'Connect over HTTP/1.1',
      (url) => {
        const transport = createConnectTransport({ baseUrl: url, httpVersion: '1.1' });
        return remoteState(
          connectChannel(transport),
          resolveConnectStateOptions({ maxMessageBytes: 64 * mebibyte }),
          () => {},
        );
      },
    ],
  ])('N6: a request that is too large is refused over %s, and leaves nothing behind', async (_name, connect) => {
    const server = await serveState(new InMemoryState(), { address: '127.0.0.1:0', maxMessageBytes: mebibyte });
    const client = connect(server.url);
    const refused = await failure(client.create(blob('x', 20 * mebibyte)));
    expect([isResourceExhausted(refused), refused?.message]).toMatchObject([true, expect.stringContaining('1048576')]);
    expect(await client.list(Blob.kind)).toEqual([]);
    await client.close();
    // A request that were still being answered would take the drain time.
    await server.close();
  });

  it('N7: a client that is answered and goes on sending without end is cut off', async () => {
    const clock = new ManualClock();
    const options = { address: '127.0.0.1:0', maxMessageBytes: mebibyte, clock, pingIntervalMs: 0 };
    await using server = await serveState(new InMemoryState(), options);
    await using client = new RawClient(server.url);
    const stream = client.session.request({
      ':method': 'POST',
      ':path': '/cosi.resource.State/Get',
      'content-type': 'application/grpc',
    });
    const closed = new Promise((resolve) => stream.once('close', resolve));
    const status = new Promise((resolve) => stream.once('trailers', (trailers) => resolve(trailers['grpc-status'])));
    stream.resume().write(Buffer.concat([Buffer.from([0, 0xff, 0, 0, 0]), Buffer.alloc(3 * mebibyte)]));
    expect(await status).toBe('8');
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5000);
    await closed;
    expect(clock.pending).toBe(0);
  });

  it('N6: a large list and a large resource come through', async () => {
    const core = new InMemoryState();
    for (let i = 0; i < 2000; i++) await core.create(blob(`b${String(i).padStart(4, '0')}`, 2000));
    await core.create(blob('large', 15 * mebibyte));
    await using pair = await connected(core);
    const listed = await pair.client.list(Blob.kind);
    expect(listed).toHaveLength(2001);
    expect(Blob.from(listed.at(-1) as (typeof listed)[number]).spec.text).toHaveLength(7.5 * mebibyte);
  });
});

describe('texts', () => {
  it('N7: pointers of any length come back in errors, or are left out, and the trailers stay small', async () => {
    await using server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
    await using client = new RawClient(server.url);
    for (const length of [1, 1024, 100_000]) {
      const id = 'ü'.repeat(length);
      const request = toBinary(wire.GetRequestSchema, create(wire.GetRequestSchema, { namespace: 'a', type: 'T', id }));
      const status = await client.call('Get', request).status;
      expect(status.code).toBe(5);
      expect(new TextEncoder().encode(status.message).length).toBeLessThanOrEqual(2048);
      const size = Object.values(status.headers).reduce((sum, value) => sum + String(value).length, 0);
      expect(size).toBeLessThan(32_000);
    }
  });

  it('N7: an error of the state may say anything', async () => {
    const texts = [`lone ${'\ud800'} surrogate`, 'line\nbreak\u0000', '%zz', 'ü'.repeat(100_000), ''];
    const failing = (text: string) =>
      ({
        async get() {
          throw new Error(text);
        },
      }) as unknown as CoreState;
    for (const text of texts) {
      await using pair = await connected(failing(text));
      const error = await failure(pair.client.get(Blob.at('x')));
      expect(error).toMatchObject({ code: 'unknown' });
      expect(error?.message.slice(0, 4)).toBe(text.slice(0, 4));
    }
  });
});
