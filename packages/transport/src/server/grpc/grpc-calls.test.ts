import { once } from 'node:events';
import type http2 from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { product } from '../../product.js';
import { envelope } from '../../testdata/envelopes.js';
import { ManualClock } from '../../testdata/manual-clock.js';
import { ObservedCore } from '../../testdata/observed-core.js';
import { RawClient } from '../../testdata/raw-client.js';
import { type StateServer, serveState } from '../serve-state.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });
const maxMessageBytes = 10_000;
const core = new ObservedCore(new InMemoryState());
let server: StateServer;
let client: RawClient;

beforeAll(async () => {
  server = await serveState(core, { address: '127.0.0.1:0', maxMessageBytes });
  client = new RawClient(server.url);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await server.close();
});

/** What belongs to the RPC library, because the requests could be compressed. They are not. */
const throughLibrary = { 'grpc-encoding': 'gzip' };

interface Answered {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly code: number | undefined;
  readonly bytes: number;
}

function send(rpc: string, body: Uint8Array, headers: http2.OutgoingHttpHeaders = {}): Promise<Answered> {
  const stream = client.session.request({
    ':method': 'POST',
    ':path': `/cosi.resource.State/${rpc}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  return new Promise((resolve, reject) => {
    let response: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    let trailers: http2.IncomingHttpHeaders = {};
    let bytes = 0;
    stream.on('response', (received) => {
      response = received;
    });
    stream.on('trailers', (received) => {
      trailers = received;
    });
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    stream.on('error', reject);
    stream.on('end', () => {
      const code = trailers['grpc-status'] === undefined ? undefined : Number(trailers['grpc-status']);
      resolve({ status: response[':status'] ?? 0, headers: { ...response, ...trailers }, code, bytes });
    });
    stream.end(body);
  });
}

const get = toBinary(wire.GetRequestSchema, create(wire.GetRequestSchema, { ...Disk.kind, id: 'none' }));
const watch = toBinary(wire.WatchRequestSchema, create(wire.WatchRequestSchema, { ...Disk.kind }));
const large = toBinary(wire.GetRequestSchema, create(wire.GetRequestSchema, { ...Disk.kind, id: 'x'.repeat(20_000) }));

describe('gRPC without the RPC library', () => {
  it.each<[string, string, Uint8Array, Code, http2.OutgoingHttpHeaders?]>([
    ['a request that is fine', 'Get', envelope(get), Code.NotFound],
    ['no message', 'Get', new Uint8Array(0), Code.Unimplemented],
    ['two messages', 'Get', Buffer.concat([envelope(get), envelope(get)]), Code.Unimplemented],
    ['half a message', 'Get', envelope(get).subarray(0, 12), Code.InvalidArgument],
    ['half an envelope', 'Get', envelope(get).subarray(0, 3), Code.InvalidArgument],
    ['a message that is too large', 'Get', envelope(large), Code.ResourceExhausted],
    ['a create without a resource', 'Create', envelope(new Uint8Array(0)), Code.InvalidArgument],
    ['a deadline that has passed', 'Watch', envelope(watch), Code.DeadlineExceeded, { 'grpc-timeout': '1u' }],
  ])('N7: %s gets the status that the library gives it', async (_name, rpc, body, code, headers = {}) => {
    const [thin, library] = [await send(rpc, body, headers), await send(rpc, body, { ...headers, ...throughLibrary })];
    expect([thin.code, library.code]).toEqual([code, code]);
    for (const name of ['content-type', 'server', 'grpc-status-details-bin']) {
      expect([name, thin.headers[name]]).toEqual([name, library.headers[name]]);
    }
    expect(thin.headers).toMatchObject({ server: product, 'content-type': 'application/grpc+proto' });
  });

  it.each([
    ['what is no message', 'Get', envelope(Uint8Array.of(0xff, 0xff))],
    ['what is no message of a resource', 'Update', envelope(Uint8Array.of(0x12, 2, 0xff, 0xff))],
  ])('N7: %s is an invalid argument, or unknown where that code means something else', async (_name, rpc, body) => {
    expect((await send(rpc, body)).code).toBe(rpc === 'Update' ? Code.Unknown : Code.InvalidArgument);
  });

  it('N7: two messages to a call that takes one are refused, also where the answer is a stream', async () => {
    expect((await send('List', Buffer.concat([envelope(get), envelope(get)]))).code).toBe(Code.Unimplemented);
  });

  it('N7: a message that claims to be compressed is refused', async () => {
    const compressed = envelope(get);
    compressed[0] = 1;
    expect((await send('Get', compressed)).code).toBe(Code.Internal);
  });

  it('N3: what is out of the ordinary is answered by the library', async () => {
    expect((await send('Get', envelope(get), { 'content-type': 'application/grpc+json' })).code).toBe(
      Code.InvalidArgument,
    );
    expect(await send('Get', envelope(get), { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await send('Get', envelope(get), { ':method': 'PUT' })).toMatchObject({ status: 405 });
    expect(await send('None', envelope(get))).toMatchObject({ status: 404 });
    expect(await send('Get', envelope(get), { origin: 'https://elsewhere.example' })).toMatchObject({ status: 403 });
    expect((await send('Get', envelope(get), { 'grpc-timeout': 'soon' })).code).toBe(Code.InvalidArgument);
    expect((await send('Get', envelope(get), { 'grpc-encoding': 'unheard-of' })).code).toBe(Code.Unimplemented);
  });

  it('N5: a deadline ends a call whose request does not come', async () => {
    const clock = new ManualClock();
    await using patient = await serveState(core, { address: '127.0.0.1:0', clock, pingIntervalMs: 0 });
    await using caller = new RawClient(patient.url);
    await once(caller.session, 'remoteSettings');
    const before = clock.pending;
    const stream = caller.session.request({
      ':method': 'POST',
      ':path': '/cosi.resource.State/Get',
      'content-type': 'application/grpc',
      'grpc-timeout': '30S',
    });
    stream.resume();
    stream.write(envelope(get).subarray(0, 4));
    const trailers = new Promise<http2.IncomingHttpHeaders>((resolve) => stream.once('trailers', resolve));
    while (clock.pending <= before) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(30_000);
    expect(Number((await trailers)['grpc-status'])).toBe(Code.DeadlineExceeded);
    // The rest of the request is not waited for without end.
    const closed = new Promise((resolve) => stream.once('close', resolve));
    while (clock.pending <= before) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5000);
    await closed;
  });

  it('N6: a stream holds no more than was asked for: who does not read is sent no more', async () => {
    const state = new InMemoryState();
    for (let i = 0; i < 400; i++)
      await state.create(Disk.new(`disk-${i}`, { size: i }, { annotations: { a: 'x'.repeat(4000) } }));
    await using own = await serveState(state, { address: '127.0.0.1:0' });
    await using caller = new RawClient(own.url);
    const request = toBinary(wire.ListRequestSchema, create(wire.ListRequestSchema, { ...Disk.kind }));
    const idle = caller.call('List', request);
    idle.stream.pause();
    const other = await caller.call('List', request).all();
    expect(other).toHaveLength(400);
    // As much as the window of the stream lets through, which no version of Node makes much larger, and not 1.6 MB.
    expect(idle.stream.readableLength).toBeLessThan(400_000);
    idle.stream.resume();
    expect(await idle.all()).toHaveLength(400);
  });
});
