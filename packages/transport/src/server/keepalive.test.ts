import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { create, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectChannel } from '../client/connect-channel.js';
import { resolveConnectStateOptions } from '../client/options.js';
import { remoteState } from '../client/remote-state.js';
import { TestAuthority } from '../testdata/certificates.js';
import { ManualClock } from '../testdata/manual-clock.js';
import { ObservedCore } from '../testdata/observed-core.js';
import { protocols } from '../testdata/protocols.js';
import { RawCall } from '../testdata/raw-client.js';
import { type StateServer, serveState } from './serve-state.js';

const authority = new TestAuthority();
const opened: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A wire between a client and a server that can be held: nothing passes, and nothing is closed. */
class Wire {
  readonly #server = net.createServer((near) => {
    const far = net.connect(this.#target);
    this.#sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
  });
  readonly #sockets: net.Socket[] = [];
  #target: net.NetConnectOpts = { port: 0 };

  async open(address: string): Promise<number> {
    this.#target = { host: '127.0.0.1', port: Number(address.split(':')[1]) };
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    opened.push(() => {
      for (const socket of this.#sockets) socket.destroy();
      this.#server.close();
    });
    return (this.#server.address() as net.AddressInfo).port;
  }

  hold(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }
}

interface Setup {
  readonly clock: ManualClock;
  readonly core: ObservedCore;
  readonly server: StateServer;
  readonly wire: Wire;
  readonly session: http2.ClientHttp2Session;
}

/** A client that watches through the wire. */
async function setUp(secure: boolean): Promise<Setup> {
  const clock = new ManualClock();
  const core = new ObservedCore(new InMemoryState());
  const serverTls = secure ? { tls: authority.issueForLoopback() } : {};
  const server = await serveState(core, { address: '127.0.0.1:0', clock, ...serverTls });
  opened.push(() => server.close());
  const through = new Wire();
  const port = await through.open(server.address);
  const socket = secure
    ? tls.connect({ host: '127.0.0.1', port, ca: authority.cert, ALPNProtocols: ['h2'] })
    : net.connect(port, '127.0.0.1');
  const session = http2.connect('http://127.0.0.1', { createConnection: () => socket });
  session.on('error', () => {});
  opened.push(() => session.destroy());
  const request = create(wire.WatchRequestSchema, { namespace: 'a', type: 'Disks.test', apiVersion: 1 });
  const call = new RawCall(
    session.request({ ':method': 'POST', ':path': '/cosi.resource.State/Watch', 'content-type': 'application/grpc' }),
    toBinary(wire.WatchRequestSchema, request),
  );
  expect(await call.next()).toBeDefined();
  await core.watching(1);
  return { clock, core, server, wire: through, session };
}

/** Time passes in which the server looks five times, and hears nothing after the first. Then it asks. */
function passQuietly(clock: ManualClock): void {
  for (let look = 0; look < 5; look++) clock.advance(2500);
}

/** Resolves when the server has seen all that the client has sent so far. */
const roundTrip = (session: http2.ClientHttp2Session) =>
  new Promise<void>((resolve, reject) => session.ping((error) => (error === null ? resolve() : reject(error))));

describe.each([
  ['without TLS', false],
  ['with TLS', true],
])('keepalive %s', (_name, secure) => {
  it('N9: a client that falls silent loses its connection within 17.5 s, and its subscriptions with it', async () => {
    const { clock, core, wire: through, session } = await setUp(secure);
    await roundTrip(session);
    through.hold();
    passQuietly(clock);
    clock.advance(4999);
    clock.advance(1);
    expect(core.openWatches).toBe(1);
    clock.advance(0);
    await core.watching(0);
    expect(clock.pending).toBe(0);
  });

  it('N9: a client that is quiet, but there, is left alone', async () => {
    const { clock, core, session } = await setUp(secure);
    let pings = 0;
    session.on('ping', () => pings++);
    for (let look = 1; look <= 5; look++) {
      await roundTrip(session);
      passQuietly(clock);
      while (pings < look) await once(session, 'ping');
      await roundTrip(session);
      clock.advance(5000);
      clock.advance(0);
    }
    expect(pings).toBe(5);
    expect(core.openWatches).toBe(1);
    expect(session.destroyed).toBe(false);
  });
});

describe('keepalive', () => {
  it('N9: leaves it to the system to look for clients that speak HTTP/1.1', async () => {
    const watched = vi.spyOn(net.Socket.prototype, 'setKeepAlive');
    opened.push(() => watched.mockRestore());
    const server = await serveState(new InMemoryState(), { address: '127.0.0.1:0', pingIntervalMs: 7000 });
    opened.push(() => server.close());
    await fetch(server.url);
    expect(watched.mock.calls).toContainEqual([true, 7000]);
  });

  it('N9: a client that ends its connection leaves nothing behind', async () => {
    for (const protocol of Object.values(protocols)) {
      const clock = new ManualClock();
      const core = new ObservedCore(new InMemoryState());
      const server = await serveState(core, { address: '127.0.0.1:0', clock });
      opened.push(() => server.close());
      const client = remoteState(connectChannel(protocol({ url: server.url })), resolveConnectStateOptions(), () => {});
      const watch = await client.watchKind({ namespace: 'a', type: 'Disks.test' });
      await core.watching(1);
      await watch.close();
      await core.watching(0);
      await client.close();
    }
  });
});
