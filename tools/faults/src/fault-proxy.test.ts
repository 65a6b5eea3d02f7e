import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FaultProxy, openFaultProxy } from './index.js';

/** One side of a connection, with all that came and how it ended. */
class Side {
  readonly socket: net.Socket;
  text = '';
  ended = false;
  error: string | undefined;

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
    socket.on('end', () => {
      this.ended = true;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error.code;
    });
  }

  received(text: string): Promise<void> {
    return vi.waitFor(() => expect(this.text).toBe(text));
  }
}

/** A server that keeps the connections it gets. */
class Keeper {
  readonly sides: Side[] = [];
  readonly #server = net.createServer((socket) => this.sides.push(new Side(socket)));

  async listen(...where: [number, string] | [string]): Promise<this> {
    this.#server.listen(...(where as [number, string]));
    await once(this.#server, 'listening');
    return this;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    for (const { socket } of this.sides) socket.destroy();
  }
}

describe('FaultProxy', () => {
  let keeper: Keeper;
  let proxy: FaultProxy;
  const clients: Side[] = [];

  beforeEach(async () => {
    keeper = await new Keeper().listen(0, '127.0.0.1');
    proxy = await openFaultProxy(keeper.address);
  });

  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    await proxy.close();
    keeper.close();
  });

  function connect(): Side {
    const client = new Side(net.connect(proxy.port, '127.0.0.1'));
    clients.push(client);
    return client;
  }

  async function connected(at = keeper): Promise<{ client: Side; server: Side }> {
    const before = at.sides.length;
    const client = connect();
    await vi.waitFor(() => expect(at.sides.length).toBe(before + 1));
    return { client, server: at.sides[before] as Side };
  }

  it('passes on what is sent, both ways', async () => {
    const { client, server } = await connected();
    client.socket.write('to the server');
    server.socket.write('to the client');
    await server.received('to the server');
    await client.received('to the client');
    expect([proxy.connections, proxy.accepted]).toEqual([1, 1]);
  });

  it('passes on the end of one direction, and keeps the other one open', async () => {
    const { client, server } = await connected();
    server.socket.allowHalfOpen = true;
    client.socket.allowHalfOpen = true;
    client.socket.end('last words');
    await vi.waitFor(() => expect(server.ended).toBe(true));
    server.socket.end('an answer to them');
    await client.received('an answer to them');
    await vi.waitFor(() => expect(proxy.connections).toBe(0));
  });

  it('passes on a reset', async () => {
    const { client, server } = await connected();
    client.socket.resetAndDestroy();
    await vi.waitFor(() => expect(server.error).toBe('ECONNRESET'));
    await vi.waitFor(() => expect(proxy.connections).toBe(0));
  });

  it('holds everything while paused, and loses nothing', async () => {
    const { client, server } = await connected();
    proxy.pause();
    const large = 'x'.repeat(1_000_000);
    client.socket.write(large);
    server.socket.write('held');
    const other = connect();
    await once(other.socket, 'connect');
    other.socket.write('held too');
    // What passes through another proxy and back has had time to pass through this one.
    await roundTrip();
    expect([server.text, client.text, client.ended, server.ended]).toEqual(['', '', false, false]);
    proxy.resume();
    await server.received(large);
    await client.received('held');
    await keeper.sides[1]?.received('held too');
  });

  it('holds the end of a connection while paused', async () => {
    const { client, server } = await connected();
    proxy.pause();
    client.socket.end('bye');
    await roundTrip();
    expect([server.ended, server.text]).toEqual([false, '']);
    proxy.resume();
    await vi.waitFor(() => expect([server.ended, server.text]).toEqual([true, 'bye']));
  });

  it('holds one direction alone', async () => {
    const { client, server } = await connected();
    proxy.pause('toServer');
    client.socket.write('held');
    server.socket.write('free');
    await client.received('free');
    await roundTrip();
    expect(server.text).toBe('');
    proxy.resume('toServer');
    await server.received('held');
  });

  it('passes on later when it delays, in order', async () => {
    const { client, server } = await connected();
    proxy.delay(60, 'toServer');
    const begin = performance.now();
    client.socket.write('one ');
    client.socket.write('two');
    await server.received('one two');
    expect(performance.now() - begin).toBeGreaterThan(55);
  });

  it('passes on as slowly as it is throttled', async () => {
    const { client, server } = await connected();
    proxy.throttle(100_000, 'toServer');
    const begin = performance.now();
    client.socket.write('x'.repeat(20_000));
    await server.received('x'.repeat(20_000));
    expect(performance.now() - begin).toBeGreaterThan(150);
  });

  it('cuts in order, on both sides', async () => {
    const { client, server } = await connected();
    proxy.cut();
    await vi.waitFor(() => expect([client.ended, server.ended]).toEqual([true, true]));
    expect([client.error, server.error]).toEqual([undefined, undefined]);
    await vi.waitFor(() => expect(proxy.connections).toBe(0));
  });

  it('resets both sides', async () => {
    const { client, server } = await connected();
    proxy.reset();
    await vi.waitFor(() => expect([client.error, server.error]).toEqual(['ECONNRESET', 'ECONNRESET']));
    expect(proxy.connections).toBe(0);
  });

  it('resets at once, whatever is still to be sent', async () => {
    const { client, server } = await connected();
    server.socket.pause();
    client.socket.write('x'.repeat(20_000_000));
    await roundTrip();
    proxy.reset();
    await vi.waitFor(() => expect([client.error, proxy.connections]).toEqual(['ECONNRESET', 0]));
  });

  it('resets connections that it refuses, and leaves the open ones', async () => {
    const { client, server } = await connected();
    proxy.refuseNew();
    const refused = connect();
    await vi.waitFor(() => expect(refused.error).toBe('ECONNRESET'));
    client.socket.write('still here');
    await server.received('still here');
    proxy.acceptNew();
    await connected();
  });

  it('resets a connection when there is no server, and finds one that came elsewhere', async () => {
    keeper.close();
    const lost = connect();
    await vi.waitFor(() => expect(lost.error).toBe('ECONNRESET'));
    const elsewhere = await new Keeper().listen(0, '127.0.0.1');
    proxy.retarget(`http://${elsewhere.address}`);
    const { client, server } = await connected(elsewhere);
    client.socket.write('found');
    await server.received('found');
    elsewhere.close();
  });

  it('connects to Unix sockets', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'faults-'));
    const path = join(folder, 'socket');
    const local = await new Keeper().listen(path);
    proxy.retarget(path);
    const { client, server } = await connected(local);
    client.socket.write('hello');
    await server.received('hello');
    proxy.reset();
    await vi.waitFor(() => expect([client.error, server.ended]).toEqual(['ECONNRESET', true]));
    local.close();
    await rm(folder, { recursive: true });
  });

  it('heals', async () => {
    const { client, server } = await connected();
    proxy.pause();
    proxy.delay(1e6);
    proxy.throttle(1);
    proxy.refuseNew();
    proxy.heal();
    client.socket.write('well again');
    await server.received('well again');
    await connected();
  });

  it('refuses what is no target, delay or speed', async () => {
    for (const target of ['', 'nowhere', '127.0.0.1', 'http://127.0.0.1', 'a b:1'])
      await expect(openFaultProxy(target)).rejects.toThrow(TypeError);
    for (const ms of [-1, Number.NaN]) expect(() => proxy.delay(ms)).toThrow(RangeError);
    for (const speed of [0, -1, Number.NaN]) expect(() => proxy.throttle(speed)).toThrow(RangeError);
  });
});

/** Bytes through a proxy of their own, to a server and back. */
async function roundTrip(): Promise<void> {
  const echo = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  await using proxy = await openFaultProxy(`127.0.0.1:${(echo.address() as net.AddressInfo).port}`);
  const socket = net.connect(proxy.port, '127.0.0.1');
  for (let i = 0; i < 5; i++) {
    socket.write('x'.repeat(100_000));
    for (let length = 0; length < 100_000; ) length += ((await once(socket, 'data')) as [Buffer])[0].length;
  }
  socket.destroy();
  echo.close();
}
