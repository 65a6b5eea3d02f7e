import net from 'node:net';
import { type CosiError, defineResource, isInUse, isUnavailable } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { connectState } from '../index.js';
import { ManualClock } from '../testdata/manual-clock.js';
import { ObservedCore } from '../testdata/observed-core.js';
import { RawClient } from '../testdata/raw-client.js';
import { serveState } from './serve-state.js';

const Disk = defineResource({ type: 'Disks.test', namespace: 'a' });
const held = Disk.new('x', {}, { finalizers: ['f'] });
const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error as CosiError);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A call that is held up in the state until it is let go. */
function gate(core: ObservedCore, name: string): { readonly reached: Promise<void>; readonly open: () => void } {
  let open: () => void = () => {};
  const reached = new Promise<void>((resolve) => {
    core.before = (called, options) => {
      if (called !== name) return undefined;
      resolve();
      return new Promise<void>((pass, reject) => {
        open = pass;
        options?.signal?.addEventListener('abort', () => reject(options.signal?.reason));
      });
    };
  });
  return { reached, open: () => open() };
}

describe('closing a server', () => {
  it('N3: watches and calls that wait end at once as unavailable', async () => {
    const core = new ObservedCore(new InMemoryState());
    await core.create(held);
    const server = await serveState(core, { address: '127.0.0.1:0' });
    await using client = connectState(server.url, { resume: false });
    const watch = await client.watchKind(Disk.kind);
    const waiting = failure(client.teardownAndDestroy(Disk.at('x')));
    await core.watching(2);
    expect((await watch.next()).value).toMatchObject({ type: 'updated' });
    const pending = watch.next();
    await server.close();
    expect((await pending).value).toMatchObject({ type: 'errored', error: { code: 'unavailable' } });
    expect(isUnavailable(await waiting)).toBe(true);
    expect(core.openWatches).toBe(0);
    expect(isUnavailable(await failure(client.get(Disk.at('x'))))).toBe(true);
    await server.close();
  });

  it('N3: other calls are waited for, and new ones refused meanwhile', async () => {
    const core = new ObservedCore(new InMemoryState());
    await core.create(held);
    const clock = new ManualClock();
    const server = await serveState(core, { address: '127.0.0.1:0', clock, pingIntervalMs: 0 });
    await using client = connectState(server.url);
    const { reached, open } = gate(core, 'get');
    const got = client.get(Disk.at('x'));
    await reached;
    const closed = server.close();
    expect(isUnavailable(await failure(client.list(Disk.kind)))).toBe(true);
    clock.advance(9999);
    open();
    expect(await got).toMatchObject({ metadata: { id: 'x' } });
    await closed;
    expect(clock.pending).toBe(0);
  });

  it('N3: calls that take longer than the drain time end as unavailable', async () => {
    const core = new ObservedCore(new InMemoryState());
    const clock = new ManualClock();
    const server = await serveState(core, { address: '127.0.0.1:0', clock, drainMs: 50 });
    await using client = connectState(server.url);
    const { reached } = gate(core, 'list');
    const listed = failure(client.list(Disk.kind));
    await reached;
    const closed = server.close();
    await turn();
    clock.advance(50);
    expect(isUnavailable(await listed)).toBe(true);
    await closed;
  });

  it('N3: connections that do nothing do not hold it up', async () => {
    const server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
    const port = Number(server.address.split(':')[1]);
    const silent = net.connect(port, '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    const idle = new RawClient(server.url);
    await new Promise((resolve) => idle.session.once('connect', resolve));
    const ended = Promise.all(
      [silent, idle.socket].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    );
    await server.close();
    silent.resume();
    await ended;
  });

  it('the port is free afterwards, and taken before', async () => {
    const first = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
    const taken = await failure(serveState(new InMemoryState(), { address: first.address }));
    expect(isInUse(taken)).toBe(true);
    expect(taken).toMatchObject({ message: expect.stringContaining(first.address), cause: { code: 'EADDRINUSE' } });
    await first.close();
    await using second = await serveState(new InMemoryState(), { address: first.address });
    expect([second.address, second.url]).toEqual([first.address, first.url]);
  });
});

describe('deadlines', () => {
  const bytes = new Uint8Array(0);

  it('N5: a call whose deadline has passed ends so, and its work with it', async () => {
    const core = new ObservedCore(new InMemoryState());
    const clock = new ManualClock();
    await using server = await serveState(core, { address: '127.0.0.1:0', clock, pingIntervalMs: 0 });
    await using client = new RawClient(server.url);
    const call = client.call('Watch', bytes, { 'grpc-timeout': '5S' });
    await call.next();
    await core.watching(1);
    clock.advance(4999);
    expect(core.openWatches).toBe(1);
    clock.advance(1);
    expect((await call.status).code).toBe(4);
    await core.watching(0);
    expect(clock.pending).toBe(0);
  });

  it('N5: a deadline in years is not one that has passed', async () => {
    const core = new ObservedCore(new InMemoryState());
    await using server = await serveState(core, { address: '127.0.0.1:0' });
    await using client = new RawClient(server.url);
    const call = client.call('Watch', bytes, { 'grpc-timeout': '99999999H' });
    await call.next();
    await turn();
    await turn();
    expect(core.openWatches).toBe(1);
    call.cancel();
    await core.watching(0);
  });

  it('N7: a deadline that cannot be read is refused', async () => {
    await using server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
    await using client = new RawClient(server.url);
    expect((await client.call('Watch', bytes, { 'grpc-timeout': 'soon' }).status).code).toBe(3);
  });
});
