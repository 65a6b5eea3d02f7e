import net from 'node:net';
import type { Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  compressionGzip as gzip,
} from '@connectrpc/connect-node';
import { defineResource, isNotFound, isVersionConflict } from '@cosi-ts/resource';
import { type Event, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { connectChannel } from './client/connect-channel.js';
import { resolveConnectStateOptions } from './client/options.js';
import { remoteState } from './client/remote-state.js';
import { product } from './product.js';
import { type StateServer, serveState } from './server/serve-state.js';
import { ManualClock } from './testdata/manual-clock.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });
const core = new InMemoryState();
let server: StateServer;

beforeAll(async () => {
  server = await serveState(core, { address: '127.0.0.1:0' });
});

afterAll(() => server.close());

type Protocol = (baseUrl: string) => Transport;

describe('one port', () => {
  it.each<[string, Protocol]>([
    ['gRPC over HTTP/2', (baseUrl) => createGrpcTransport({ baseUrl })],
    ['gRPC-Web over HTTP/1.1', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
    ['gRPC-Web over HTTP/2', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2' })],
    ['Connect over HTTP/1.1', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
    ['Connect over HTTP/2', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' })],
    ['Connect in JSON', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false })],
    [
      'gRPC with compressed requests',
      (baseUrl) => createGrpcTransport({ baseUrl, sendCompression: gzip, compressMinBytes: 0 }),
    ],
  ])('N3: %s', async (_name, protocol) => {
    const client = remoteState(connectChannel(protocol(server.url)), resolveConnectStateOptions(), () => {});
    const state = wrapState(client);
    const watch = await state.watchKindAggregated(Disk.kind, { bootstrapContents: true });
    expect(typesOf((await watch.next()).value)).toEqual(['bootstrapped']);
    const made = await state.create(Disk.new('x', { size: 1 }));
    expect(typesOf((await watch.next()).value)).toEqual(['created']);
    expect((await state.get(Disk.at('x'))).equals(made)).toBe(true);
    expect(await state.list(Disk.kind)).toHaveLength(1);
    const stale = made.withMetadata(made.metadata.with({ version: 7n }));
    const conflict = await state.update(stale).catch((error: unknown) => error);
    expect(isVersionConflict(conflict) && conflict.subject).toEqual({ namespace: 'a', type: 'Disks.test', id: 'x' });
    const absent = await state.watchKind(Disk.kind, { startFromBookmark: new Uint8Array(1) }).catch((error) => error);
    expect(absent).toMatchObject({ code: 'invalid-bookmark' });
    await state.teardownAndDestroy(Disk.at('x'));
    expect(isNotFound(await state.get(Disk.at('x')).catch((error: unknown) => error))).toBe(true);
    await watch.close();
    await client.close();
  });

  it('N3: JSON is as its users write it by hand', async () => {
    const answer = await fetch(`${server.url}/cosi.resource.State/Get`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ namespace: 'a', type: 'Disks.test', id: 'none' }),
    });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: 'not_found',
      details: [{ type: 'google.rpc.ErrorInfo', debug: { reason: 'not-found', domain: 'cosi.dev' } }],
    });
    expect(answer.headers.get('server')).toBe(product);
  });

  it('N4: the server names itself, with its version', () => {
    expect(product).toBe(`cosi-ts/${packageJson.version}`);
  });

  it('N7: what is nothing of ours is refused, and the server goes on', async () => {
    const unknown = await fetch(`${server.url}/`, { method: 'GET' });
    expect(unknown.status).toBe(404);
    const get = await fetch(`${server.url}/cosi.resource.State/Get`);
    expect(get.status).toBe(405);
    const media = await fetch(`${server.url}/cosi.resource.State/Get`, { method: 'POST', body: 'x' });
    expect(media.status).toBe(415);
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"namespace":' };
    const malformed = await fetch(`${server.url}/cosi.resource.State/Get`, json);
    expect(malformed.status).toBe(400);
    expect(await malformed.json()).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('the first bytes of a connection', () => {
  const port = () => Number(server.address.split(':')[1]);

  /** Sends the parts one by one, and gives what comes back until the connection ends. */
  async function talk(...parts: readonly string[]): Promise<string> {
    const socket = net.connect(port(), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    const ended = new Promise((resolve) => socket.once('close', resolve));
    for (const part of parts) {
      await new Promise((resolve) => socket.write(part, resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.end();
    await ended;
    return answer;
  }

  it('N3: may come in pieces', async () => {
    const request = 'POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    expect(await talk(...request)).toMatch(/^HTTP\/1\.1 404 /);
    // A method that begins like the preface of HTTP/2.
    expect(await talk('PRI', 'O / HTTP/1.1\r\n', '\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    const settings = '\0\0\0\u0004\0\0\0\0\0';
    const frames = await talk(...'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', settings);
    expect(frames.slice(3, 4)).toBe('\u0004');
  });

  it('N7: may be anything', async () => {
    expect(await talk('\u0016\u0003\u0001 a TLS hello, perhaps')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await talk('')).toBe('');
    await talk('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\0\u00ff\u00ffgarbage instead of settings');
    expect(await core.list(Disk.kind)).toEqual([]);
  });

  it('N7: are not waited for without end', async () => {
    const clock = new ManualClock();
    await using patient = await serveState(core, { address: '127.0.0.1:0', clock });
    const socket = net.connect(Number(patient.address.split(':')[1]), '127.0.0.1');
    const ended = new Promise((resolve) => socket.resume().once('close', resolve));
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10_000);
    await ended;
  });
});

function typesOf(events: readonly Event[] | undefined): readonly string[] {
  return (events ?? []).map(({ type }) => type);
}
