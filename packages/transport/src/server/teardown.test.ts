import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { toWireResource, wire } from '@cosi-ts/proto';
import { defineResource, isNotFound, isUnsupported, type Pointer, UnsupportedError } from '@cosi-ts/resource';
import { namespaced, type TeardownAndDestroyOptions, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { connectState } from '../index.js';
import { FakeServer } from '../testdata/fake-server.js';
import { ManualClock } from '../testdata/manual-clock.js';
import { ObservedCore } from '../testdata/observed-core.js';
import { connected } from '../testdata/pair.js';
import { PendingWrites } from './pending-writes.js';

const Disk = defineResource({ type: 'Disks.test', namespace: 'a' });
const held = Disk.new('x', {}, { finalizers: ['f'] });

describe('PendingWrites', () => {
  it('S12: waits for the writes to that resource that were in progress, and for no later ones', async () => {
    const writes = new PendingWrites();
    let answerFirst: () => void = () => {};
    writes.add(
      Disk.at('x'),
      new Promise((resolve) => {
        answerFirst = resolve;
      }),
    );
    writes.add(Disk.at('other'), new Promise(() => {}));
    let settled = false;
    const waiting = writes.settled(Disk.at('x')).then(() => {
      settled = true;
    });
    writes.add(Disk.at('x'), new Promise(() => {}));
    await Promise.resolve();
    expect(settled).toBe(false);
    answerFirst();
    await waiting;
    await writes.settled(Disk.at('nobody'));
  });
});

describe('a served teardownAndDestroy', () => {
  it.each([
    ['composed', () => new InMemoryState()],
    ['native', () => namespaced(() => new InMemoryState())],
  ])('S12: destroys when the write that let the resource go has been answered (%s)', async (_name, make) => {
    const core = make();
    const order: string[] = [];
    await using pair = await connected(core);
    const state = wrapState(pair.client);
    await state.create(held);
    const done = state.teardownAndDestroy(Disk.at('x')).then(() => order.push('destroyed'));
    await state.watchFor(Disk.at('x'), { phases: ['tearingDown'] });
    const removed = state.removeFinalizer(Disk.at('x'), 'f').then(() => order.push('removed'));
    await Promise.all([done, removed]);
    expect(order).toEqual(['removed', 'destroyed']);
    expect(await core.list(Disk.kind)).toEqual([]);
  });

  it('S12: waits one turn of the event loop, and ends when the caller gives up', async () => {
    const core = new ObservedCore(new InMemoryState());
    const clock = new ManualClock();
    await using pair = await connected(core, { server: { clock, pingIntervalMs: 0 } });
    const state = wrapState(pair.client);
    await state.create(Disk.new('x', {}));
    const controller = new AbortController();
    const given = state.teardownAndDestroy(Disk.at('x'), { signal: controller.signal }).catch((reason) => reason);
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort('enough');
    expect(await given).toBe('enough');
    while (clock.pending > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(core.calls.map(({ name }) => name)).not.toContain('destroy');
    const done = state.teardownAndDestroy(Disk.at('x'));
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0);
    await done;
    expect(core.calls.at(-1)?.name).toBe('destroy');
  });

  it('S12: that someone else destroys it is success, and absence is not', async () => {
    const core = new InMemoryState();
    await using pair = await connected(core);
    await core.create(held);
    const done = pair.client.teardownAndDestroy(Disk.at('x'));
    const torn = await wrapState(core).watchFor(Disk.at('x'), { phases: ['tearingDown'] });
    const free = await core.update(torn.withMetadata(torn.metadata.with({ finalizers: [] })), { expectedPhase: 'any' });
    await core.destroy(free.metadata);
    await done;
    const error = await pair.client.teardownAndDestroy(Disk.at('x')).catch((error: unknown) => error);
    expect(isNotFound(error)).toBe(true);
  });
});

describe('a peer without native teardowns', () => {
  const torn = toWireResource(Disk.new('x', {}, { phase: 'tearingDown' }));

  it('S10: the client composes them, and asks for each only once', async () => {
    await using server = await FakeServer.start(({ rpc }) => {
      const resource = { resource: torn };
      if (rpc === 'Get') {
        return { messages: [toBinary(wire.GetResponseSchema, create(wire.GetResponseSchema, resource))], status: ok };
      }
      if (rpc === 'Destroy') return { messages: [new Uint8Array(0)], status: ok };
      return { messages: [], status: { code: 12, message: 'unknown method' } };
    });
    await using client = connectState(server.url);
    expect(await client.teardown(Disk.at('x'))).toBe(true);
    expect(await client.teardown(Disk.at('x'))).toBe(true);
    expect(server.calls.map(({ rpc }) => rpc)).toEqual(['Teardown', 'Get', 'Get']);
    server.calls.length = 0;
    await client.teardownAndDestroy(Disk.at('x'), { owner: 'me' });
    await client.teardownAndDestroy(Disk.at('x'));
    expect(server.calls.map(({ rpc }) => rpc)).toEqual(['TeardownAndDestroy', 'Get', 'Destroy', 'Get', 'Destroy']);
    const destroy = server.calls[2]?.request as Uint8Array;
    expect(fromBinary(wire.DestroyRequestSchema, destroy).options?.owner).toBe('me');
  });

  it('S10: a state that does not support it is no such peer', async () => {
    let calls = 0;
    const core = Object.assign(new InMemoryState(), {
      async teardown(_pointer: Pointer): Promise<boolean> {
        calls++;
        throw new UnsupportedError('not here');
      },
    });
    await using pair = await connected(core);
    for (let i = 0; i < 2; i++) {
      expect(isUnsupported(await pair.client.teardown(Disk.at('x')).catch((error: unknown) => error))).toBe(true);
    }
    expect(calls).toBe(2);
  });

  it('S12: what must come before the destruction comes before the answer', async () => {
    await using pair = await connected(new InMemoryState());
    await pair.client.create(Disk.new('x', {}));
    const order: string[] = [];
    const options: TeardownAndDestroyOptions = { beforeDestroy: async () => void order.push('before') };
    await pair.client.teardownAndDestroy(Disk.at('x'), options);
    expect(order).toEqual(['before']);
  });
});

const ok = { code: 0, message: '' };
