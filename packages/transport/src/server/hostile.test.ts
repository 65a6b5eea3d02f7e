import type http2 from 'node:http2';
import { gzipSync } from 'node:zlib';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelope } from '../testdata/envelopes.js';
import { RawClient } from '../testdata/raw-client.js';
import { type StateServer, serveState } from './serve-state.js';

const kind = { namespace: 'a', type: 'Things.test' };
const metadata = { ...kind, id: 'x', version: 'undefined', phase: 'running' };
const ok = 0;

let server: StateServer;
let client: RawClient;

beforeAll(async () => {
  server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
  client = new RawClient(server.url);
  const labels = { n: '9'.repeat(2_000_000) };
  const init = { resource: { metadata: { ...metadata, id: 'a'.repeat(1000), labels }, spec: {} } };
  expect(await codeOf('Create', wire.CreateRequestSchema, init)).toBe(ok);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await server.close();
});

async function codeOf<S extends DescMessage>(rpc: string, schema: S, init: MessageInitShape<S>): Promise<Code | 0> {
  const call = client.call(rpc, toBinary(schema, create(schema, init)));
  return (await call.status).code;
}

const created = (resource: MessageInitShape<typeof wire.ResourceSchema>) =>
  codeOf('Create', wire.CreateRequestSchema, { resource });
const listed = (options: MessageInitShape<typeof wire.ListOptionsSchema>) =>
  codeOf('List', wire.ListRequestSchema, { ...kind, options });
const term = (op: number, ...value: string[]) => ({ labelQuery: [{ terms: [{ key: 'n', op: op as never, value }] }] });
const { LT, LT_NUMERIC, IN } = wire.LabelTerm_Operation;

describe('requests that mean harm', () => {
  it.each<[string, MessageInitShape<typeof wire.ResourceSchema>]>([
    ['no metadata', { spec: {} }],
    ['metadata of nothing', { metadata: {}, spec: {} }],
    ['a version that is none', { metadata: { ...metadata, version: 'x' }, spec: {} }],
    ['a negative version', { metadata: { ...metadata, version: '-1' }, spec: {} }],
    ['a version of millions of digits', { metadata: { ...metadata, version: '9'.repeat(2_000_000) }, spec: {} }],
    ['no phase', { metadata: { ...metadata, phase: '' }, spec: {} }],
    ['a phase that is none', { metadata: { ...metadata, phase: 'Running' }, spec: {} }],
    ['an id that is too long', { metadata: { ...metadata, id: 'x'.repeat(1025) }, spec: {} }],
    ['an id with a NUL', { metadata: { ...metadata, id: 'x\0' }, spec: {} }],
    ['a time that is none', { metadata: { ...metadata, created: { seconds: 2n ** 62n, nanos: -1 } }, spec: {} }],
  ])('N7: %s makes no resource', async (_what, resource) => {
    expect(await created(resource)).toBe(Code.InvalidArgument);
  });

  it.each<[string, MessageInitShape<typeof wire.ListOptionsSchema>, Code | 0]>([
    ['an unknown operation', term(99, 'x'), Code.Unimplemented],
    ['a negative operation', term(-1, 'x'), Code.Unimplemented],
    ['comparisons with nothing', { labelQuery: [LT, LT_NUMERIC, IN].flatMap((op) => term(op).labelQuery) }, ok],
    ['a number of millions of digits', term(LT_NUMERIC, `-${'8'.repeat(2_000_000)}Ki`), ok],
    ['thousands of terms', { labelQuery: [{ terms: new Array(5000).fill({ key: 'n', op: 0 }) }] }, ok],
    ['a pattern that backtracks for ever', { idQuery: { regexp: '^(a|a)*(a+)+b$' } }, ok],
    ['a pattern that grows', { idQuery: { regexp: '((a{100}){100}){100}' } }, Code.InvalidArgument],
    ['a pattern of nothing but parentheses', { idQuery: { regexp: '('.repeat(50_000) } }, Code.InvalidArgument],
  ])('N7: a query with %s has its status', async (_what, options, code) => {
    expect(await listed(options)).toBe(code);
  });

  it('N7: what is small until it is unpacked is too large', async () => {
    const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const bomb = envelope(packed);
    bomb[0] = 1;
    const stream = client.session.request({
      ':method': 'POST',
      ':path': '/cosi.resource.State/Get',
      'content-type': 'application/grpc',
      'grpc-encoding': 'gzip',
    });
    const trailers = new Promise<http2.IncomingHttpHeaders>((resolve) => stream.once('trailers', resolve));
    stream.resume().end(bomb);
    expect(Number((await trailers)['grpc-status'])).toBe(Code.ResourceExhausted);
  });

  it('N7: a thousand streams that never say what they want are no bother to others', async () => {
    await using half = new RawClient(server.url);
    for (let i = 0; i < 1000; i++) {
      const stream = half.session.request({
        ':method': 'POST',
        ':path': '/cosi.resource.State/Create',
        'content-type': 'application/grpc',
      });
      stream.on('error', () => {});
      stream.write(envelope(new Uint8Array(100)).subarray(0, i % 7));
    }
    const get = toBinary(wire.GetRequestSchema, create(wire.GetRequestSchema, { ...kind, id: 'none' }));
    expect((await half.call('Get', get).status).code).toBe(Code.NotFound);
    expect((await client.call('Get', get).status).code).toBe(Code.NotFound);
  });

  it('N7: streams that are cancelled as soon as they are opened are no bother to other connections', async () => {
    await using hasty = new RawClient(server.url);
    for (let i = 0; i < 3000 && !hasty.session.destroyed; i++) {
      hasty.call('Watch', toBinary(wire.WatchRequestSchema, create(wire.WatchRequestSchema, kind))).cancel();
    }
    const get = toBinary(wire.GetRequestSchema, create(wire.GetRequestSchema, { ...kind, id: 'none' }));
    expect((await client.call('Get', get).status).code).toBe(Code.NotFound);
    expect(await listed({})).toBe(ok);
  }, 30_000);
});
