import { constants } from 'node:http2';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { type Event, VirtualClock } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { openFaultProxy } from '../../../../tools/faults/src/index.js';
import { serveState } from '../server/serve-state.js';
import { type FakeAnswer, type FakeCall, FakeServer } from '../testdata/fake-server.js';
import { connectState } from './connect-state.js';

const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });
const quick = { resumeBackoff: { initialMs: 1, maxMs: 20 } };

const established = new Uint8Array(0);
const message = (...event: MessageInitShape<typeof wire.EventSchema>[]) =>
  toBinary(wire.WatchResponseSchema, create(wire.WatchResponseSchema, { event }));
const metadata = { namespace: 'a', type: 'Things.test', id: 'x', version: '1', phase: 'running' };
const resource = { metadata, spec: { yamlSpec: 'n: 1\n' } };
const noop = message({ eventType: wire.EventType.NOOP, bookmark: Uint8Array.of(7) });
const event = message({ eventType: wire.EventType.CREATED, resource, bookmark: Uint8Array.of(8) });
const open: FakeAnswer = { messages: [established, event] };
const ended = (code: number): FakeAnswer => ({ messages: [established, noop], status: { code, message: 'so' } });
const refused = (code: number): FakeAnswer => ({ messages: [], status: { code, message: 'no' } });

const watchRequest = ({ request }: FakeCall) => fromBinary(wire.WatchRequestSchema, request);

/** A server that answers the watches in turn. */
function answering(...answers: readonly FakeAnswer[]): Promise<FakeServer> {
  let next = 0;
  return FakeServer.start(() => answers[next++] ?? refused(14));
}

describe('a watch of a peer', () => {
  it.each([
    ['a clean end', 0],
    ['canceled', 1],
    ['unknown', 2],
    ['a deadline that nobody here set', 4],
    ['permission denied', 7],
    ['a failed precondition', 9],
    ['aborted', 10],
    ['unimplemented', 12],
    ['internal', 13],
    ['unavailable', 14],
    ['unauthenticated', 16],
  ])('N9: %s of an established watch is a drop, and the watch goes on', async (_name, code) => {
    await using server = await answering(ended(code), open);
    await using client = connectState(server.url, quick);
    const watch = await client.watchKind(Thing.kind);
    expect((await watch.next()).value).toMatchObject({ type: 'created', bookmark: Uint8Array.of(8) });
    expect(server.calls.map(watchRequest)).toMatchObject([
      { options: { bootstrapBookmark: true, aggregated: false } },
      { options: { bootstrapBookmark: false, startFromBookmark: Uint8Array.of(7) } },
    ]);
  });

  it.each([
    constants.NGHTTP2_NO_ERROR,
    constants.NGHTTP2_PROTOCOL_ERROR,
    constants.NGHTTP2_INTERNAL_ERROR,
    constants.NGHTTP2_REFUSED_STREAM,
    constants.NGHTTP2_CANCEL,
    constants.NGHTTP2_ENHANCE_YOUR_CALM,
    constants.NGHTTP2_INADEQUATE_SECURITY,
  ])('N9: a reset with code %i is a drop', async (code) => {
    await using server = await answering({ messages: [established, noop] }, open);
    await using client = connectState(server.url, quick);
    const watch = await client.watchKindAggregated(Thing.kind);
    server.calls[0]?.stream.close(code);
    expect((await watch.next()).value).toMatchObject([{ type: 'created' }]);
    expect(server.calls.map(watchRequest).map(({ options }) => options?.aggregated)).toEqual([true, true]);
  });

  it('N9: a connection that is told to go away is a drop', async () => {
    await using server = await answering({ messages: [established, noop] }, open);
    await using client = connectState(server.url, quick);
    const watch = await client.watchKind(Thing.kind);
    const { stream } = server.calls[0] as FakeCall;
    stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
    expect((await watch.next()).value).toMatchObject({ type: 'created' });
  });

  it('N4: the three ends of a watch that cannot go on', async () => {
    for (const [code, error] of [
      [3, 'invalid-argument'],
      [7, 'denied'],
      [9, 'invalid-bookmark'],
      [12, 'unsupported'],
      [16, 'unauthenticated'],
    ] as const) {
      await using server = await answering(ended(14), refused(14), refused(2), refused(5), refused(code));
      await using client = connectState(server.url, quick);
      const watch = await client.watchKind(Thing.kind);
      expect([code, (await watch.next()).value]).toMatchObject([code, { type: 'errored', error: { code: error } }]);
      expect([(await watch.next()).done, server.calls.length]).toEqual([true, 5]);
    }
  });

  it('N4: what only stands between the client and the server does not end a watch', async () => {
    const proxied = [401, 403, 404, 503].map((status) => ({ messages: [], httpStatus: status }));
    await using server = await answering(ended(14), ...proxied.slice(2), open);
    await using client = connectState(server.url, quick);
    const watch = await client.watchKind(Thing.kind);
    expect((await watch.next()).value).toMatchObject({ type: 'created' });
  });

  it('N4: goes on after its delay, whatever the logger throws', async () => {
    await using server = await answering(ended(14), open);
    const clock = new VirtualClock();
    const random = { float: () => 0.5, bytes: (length: number) => new Uint8Array(length) };
    let told = 0;
    const warn = () => {
      told++;
      throw new Error('the disk is full');
    };
    await using client = connectState(server.url, { clock, logger: { warn, error: warn }, random });
    const watch = await client.watch(Thing.at('x'), { startFromBookmark: Uint8Array.of(1) });
    const next = watch.next();
    while (told === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(500);
    expect((await next).value).toMatchObject({ type: 'created' });
    expect(told).toBe(1);
  });

  it('N4: the real time of a drop is the time of the clock', async () => {
    await using server = await answering(ended(14), open);
    const clock = new VirtualClock();
    const logs: unknown[] = [];
    const logger = { warn: (fields: object) => void logs.push(fields), error() {} };
    const random = { float: () => 0.5, bytes: (length: number) => new Uint8Array(length) };
    await using client = connectState(server.url, { clock, logger, random });
    const watch = await client.watch(Thing.at('x'), { startFromBookmark: Uint8Array.of(1) });
    const next = watch.next();
    while (logs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(logs).toMatchObject([{ namespace: 'a', id: 'x', bookmark: '07', retryInMs: 500 }]);
    await clock.advance(499);
    expect(server.calls).toHaveLength(1);
    await clock.advance(1);
    expect((await next).value).toMatchObject({ type: 'created' });
  });
});

describe('a watch of a server of ours', () => {
  it('N4: brings every event once, whatever happens to its connection', async () => {
    const core = new InMemoryState();
    await using server = await serveState(core, { address: '127.0.0.1:0' });
    await using proxy = await openFaultProxy(server.url);
    await using client = connectState(proxy.url, quick);
    const watches = await Promise.all([
      client.watchKind(Thing.kind, { bootstrapContents: true }),
      client.watchKindAggregated(Thing.kind),
    ]);
    const seen = watches.map(async (watch) => {
      const ids: string[] = [];
      for await (const item of watch) {
        for (const event of Array.isArray(item) ? (item as Event[]) : [item as Event]) {
          if (event.type === 'bootstrapped') continue;
          if (event.type !== 'created') throw new Error(`an unexpected event: ${event.type}`);
          ids.push(event.resource.metadata.id);
        }
        if (ids.length >= 200) return ids;
      }
      return ids;
    });
    const written: string[] = [];
    for (let i = 0; i < 200; i++) {
      const id = `x${i}`;
      await core.create(Thing.new(id, { n: i }));
      written.push(id);
      if (i % 20 === 10) proxy.cut();
      if (i % 20 === 19) proxy.reset();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(seen)).toEqual([written, written]);
    expect(proxy.accepted).toBeGreaterThan(2);
  });

  it('N4: a server that was stopped for a while is found again', async () => {
    const core = new InMemoryState();
    const first = await serveState(core, { address: '127.0.0.1:0' });
    await using client = connectState(first.url, quick);
    await using watch = await client.watch(Thing.at('x'));
    expect((await watch.next()).value).toMatchObject({ type: 'destroyed' });
    const next = watch.next();
    await first.close();
    await core.create(Thing.new('x', { n: 1 }));
    await using _second = await serveState(core, { address: new URL(first.url).host });
    expect((await next).value).toMatchObject({ type: 'created' });
  });

  it('W10: a state that lost its history says so, and the watch ends', async () => {
    const first = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
    await using client = connectState(first.url, quick);
    const watch = await client.watchKind(Thing.kind, { bootstrapBookmark: true });
    expect((await watch.next()).value).toMatchObject({ type: 'noop' });
    const next = watch.next();
    await first.close();
    await using _second = await serveState(new InMemoryState(), { address: new URL(first.url).host });
    expect((await next).value).toMatchObject({ type: 'errored', error: { code: 'invalid-bookmark' } });
    expect((await watch.next()).done).toBe(true);
  });
});
