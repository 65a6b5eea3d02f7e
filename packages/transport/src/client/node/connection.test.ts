import http2 from 'node:http2';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CosiError, defineResource } from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { openFaultProxy } from '../../../../../tools/faults/src/index.js';
import { product } from '../../product.js';
import { serveState } from '../../server/serve-state.js';
import { FakeServer } from '../../testdata/fake-server.js';
import { connectState } from '../connect-state.js';

const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as CosiError,
  );

/** A server of sockets that does with them what it is told. */
async function listening(onSocket: (socket: net.Socket) => void, run: (port: number) => Promise<void>): Promise<void> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run((server.address() as net.AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('connecting', () => {
  it.each([
    ['http://127.0.0.1:1', /^nobody listens at http:\/\/127\.0\.0\.1:1: is the server running/],
    [`unix:${join(tmpdir(), 'no-such.sock')}`, /^there is no socket at unix:.*no-such\.sock: is the server running/],
    ['http://no-such-host.invalid:4001', /no-such-host\.invalid/],
  ])('says what was tried, and what can be done: %s', async (url, text) => {
    await using client = connectState(url);
    const error = await failure(client.get(Thing.at('x')));
    expect([error?.code, error?.message]).toEqual(['unavailable', expect.stringMatching(text)]);
    expect(await failure(client.watchKind(Thing.kind))).toMatchObject({ code: 'unavailable' });
  });

  it('gives up on a server that takes the connection and says nothing', async () => {
    await listening(
      () => {},
      async (port) => {
        const clock = new VirtualClock();
        await using client = connectState(`http://127.0.0.1:${port}`, { clock });
        const refused = failure(client.get(Thing.at('x')));
        await clock.advance(10_000);
        expect(await refused).toMatchObject({
          code: 'unavailable',
          message: `http://127.0.0.1:${port} did not answer within 10000 ms`,
        });
        expect(clock.timers).toBe(0);
      },
    );
  });

  it('says when the server may be none of ours', async () => {
    for (const answer of ['220 mail\r\n', 'HTTP/1.1 400 Bad Request\r\n\r\n', '']) {
      await listening(
        (socket) => socket.end(answer),
        async (port) => {
          await using client = connectState(`http://127.0.0.1:${port}`);
          const error = await failure(client.get(Thing.at('x')));
          expect([error?.code, error?.message]).toEqual([
            'unavailable',
            expect.stringMatching(/may not be a gRPC server, or expect https: instead of http:/),
          ]);
        },
      );
    }
  });

  it('says when the server does not speak TLS', async () => {
    await using server = await FakeServer.start(() => ({ messages: [] }));
    await using client = connectState(server.url.replace('http:', 'https:'));
    const error = await failure(client.get(Thing.at('x')));
    expect([error?.code, error?.message]).toEqual(['unavailable', expect.stringMatching(/http: instead of https:/)]);
  });

  it('ends an attempt when the client is closed', async () => {
    await listening(
      () => {},
      async (port) => {
        const clock = new VirtualClock();
        const client = connectState(`http://127.0.0.1:${port}`, { clock });
        const watch = failure(client.watchKind(Thing.kind));
        while (clock.timers === 0) await turn();
        await client.close();
        expect(await watch).toMatchObject({ code: 'closed' });
        expect(clock.timers).toBe(0);
      },
    );
  });

  it('gives up on a function that never gives the certificates', async () => {
    const clock = new VirtualClock();
    const client = connectState('https://127.0.0.1:1', { clock, tls: () => new Promise(() => {}) });
    const calls = [failure(client.get(Thing.at('x'))), failure(client.watchKind(Thing.kind))];
    const closing = client.close();
    await clock.advance(10_000);
    const [get, watch] = await Promise.all(calls);
    expect(get).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/no certificates .* 10000 ms/) });
    expect(watch).toMatchObject({ code: 'closed' });
    await closing;
    expect(clock.timers).toBe(0);
  });

  it('refuses options that make no sense', () => {
    expect(() => connectState('http://127.0.0.1:1', { tls: {} })).toThrow(TypeError);
    expect(() => connectState('https://127.0.0.1:1', { tls: { cert: 'no PEM' } })).toThrow(/tls holds what cannot/);
    expect(() => connectState('http://127.0.0.1:1', { connectTimeoutMs: 0 })).toThrow(RangeError);
    expect(() => connectState('http://127.0.0.1:1', { keepalive: { intervalMs: Number.NaN } })).toThrow(RangeError);
    expect(() => connectState('unix:')).toThrow(TypeError);
  });
});

describe('keepalive', () => {
  const established = { messages: [new Uint8Array(0)] };

  it('N4: a server that falls silent is noticed after 15 s, and watches go on elsewhere', async () => {
    const core = new InMemoryState();
    await using server = await serveState(core, { address: '127.0.0.1:0' });
    await using proxy = await openFaultProxy(server.url);
    const clock = new VirtualClock();
    const logs: object[] = [];
    const logger = { warn: (fields: object) => void logs.push(fields), error() {} };
    await using client = connectState(proxy.url, { clock, logger });
    await using watch = await client.watchKind(Thing.kind, { bootstrapBookmark: true });
    await watch.next();
    const call = failure(client.teardownAndDestroy(Thing.at('never')));
    expect(await call).toMatchObject({ code: 'not-found' });
    proxy.pause();
    const next = watch.next();
    await clock.advance(14_999);
    expect(logs).toEqual([]);
    await clock.advance(1);
    await clock.advance(0);
    expect(logs).toMatchObject([{ err: { code: 'unavailable', message: expect.stringMatching(/has not answered/) } }]);
    proxy.resume();
    await core.create(Thing.new('x', { n: 1 }));
    await clock.advance(600);
    expect((await next).value).toMatchObject({ type: 'created' });
  });

  it('N4: a server that answers pings is left alone', async () => {
    await using server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
    const clock = new VirtualClock();
    await using client = connectState(server.url, { clock });
    await using watch = await client.watchKind(Thing.kind, { bootstrapBookmark: true });
    await watch.next();
    for (let i = 0; i < 20; i++) {
      await clock.advance(10_000);
      // The answer takes real time.
      await client.list(Thing.kind);
      await clock.advance(5000);
    }
    await client.create(Thing.new('x', { n: 1 }));
    expect((await watch.next()).value).toMatchObject({ type: 'created' });
  });

  it('N4: a peer is known by its header on each connection, and one that is tired of pings gets fewer', async () => {
    let headers: http2.OutgoingHttpHeaders = { server: product };
    await using server = await FakeServer.start(() => ({ ...established, headers }));
    const pings: number[] = [];
    server.onSession = (session) => void session.on('ping', () => pings.push(clock.monotonicMs()));
    const clock = new VirtualClock();
    await using client = connectState(server.url, { clock, resume: false });
    const first = await client.watchKind(Thing.kind);
    await clock.advance(10_000);
    while (pings.length === 0) await turn();
    expect(pings).toEqual([10_000]);

    const ended = first.next();
    const { session } = server.calls[0]?.stream ?? {};
    session?.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
    expect((await ended).value).toMatchObject({ type: 'errored', error: { code: 'unavailable' } });
    await using _slower = await client.watchKind(Thing.kind);
    await clock.advance(19_999);
    expect(pings).toHaveLength(1);
    await clock.advance(1);
    while (pings.length === 1) await turn();
    expect(pings[1]).toBe(30_000);

    headers = {};
    server.cut();
    while (server.sessions > 0) await turn();
    await using _unknown = await client.watchKind(Thing.kind);
    await clock.advance(619_999);
    expect(pings).toHaveLength(2);
    await clock.advance(1);
    while (pings.length === 2) await turn();
  });

  it('N4: an idle connection has no timers and does not keep the process running', async () => {
    await using server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
    const clock = new VirtualClock();
    await using client = connectState(server.url, { clock });
    await client.list(Thing.kind);
    await turn();
    expect(clock.timers).toBe(0);
  });
});

describe('Unix sockets', () => {
  it('N3: a peer on a Unix socket is reached', async () => {
    const path = join(tmpdir(), `cosi-client-${process.pid}.sock`);
    const authorities: unknown[] = [];
    const server = http2.createServer().on('stream', (stream, headers) => {
      authorities.push(headers[':authority']);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end();
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    for (const url of [`unix:${path}`, `unix://${path}`]) {
      await using client = connectState(url);
      expect(await client.list(Thing.kind)).toEqual([]);
    }
    expect(authorities).toEqual(['localhost', 'localhost']);
    await new Promise((resolve) => server.close(resolve));
  });
});
