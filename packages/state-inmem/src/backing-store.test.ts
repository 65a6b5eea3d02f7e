import { isClosed, isConflict, isNotFound, type Pointer, type Resource, Timestamp } from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import type { BackingStore, StoreChange } from './backing-store.js';
import { InMemoryState } from './in-memory-state.js';
import { inspect } from './internal.js';
import { MemoryStore } from './memory-store.js';
import { Deferred } from './testing/deferred.js';
import { Disk, disk, stored } from './testing/disks.js';
import { FaultyStore } from './testing/faulty-store.js';
import { bookmark, take, text } from './testing/watch-reading.js';

const full = new Error('disk full');

function failing(): never {
  throw full;
}

function setUp() {
  const memory = new MemoryStore();
  const store = new FaultyStore(memory);
  return { memory, store, state: new InMemoryState({ store }) };
}

function storeOf(...resources: Resource[]): BackingStore {
  return {
    async *load() {
      yield resources;
    },
    write: async () => expect.fail('nothing is written'),
  };
}

describe('loading from a backing store', () => {
  it('P1: a state finds what an earlier one has written', async () => {
    const { memory, state } = setUp();
    const a = await state.update(await state.create(disk('a')));
    await state.create(disk('b'));
    await state.destroy(Disk.at('b'));
    const next = new InMemoryState({ store: memory });
    expect(await next.list(Disk.kind)).toEqual([a]);
    expect((await next.update(a)).metadata.version).toBe(3n);
  });

  it('S1: while the store loads and writes, calls keep what they were given', async () => {
    const { memory, state } = setUp();
    for (const id of ['a', 'b']) await state.create(disk(id));
    const next = new InMemoryState({ store: memory });
    const pointer: { -readonly [K in keyof Pointer]: Pointer[K] } = { ...Disk.at('a') };
    const kind = { ...Disk.kind };
    const options = { bootstrapContents: true, id: 'a' };
    const calls = [
      next.get(pointer).then(({ metadata }) => metadata.id),
      next.watch(pointer).then(async (watch) => (await take(watch, 1)).map(text)),
      next.watchKind(kind, options).then(async (watch) => (await take(watch, 2)).map(text)),
      next.list(kind, options).then((list) => list.map(({ metadata }) => metadata.id)),
      next.destroy(pointer),
    ];
    pointer.id = 'b';
    kind.type = 'Others.test.cosi.dev';
    Object.assign(options, { bootstrapContents: false, id: 'b' });
    expect(await Promise.all(calls)).toEqual(['a', ['created a@1'], ['created a@1', 'bootstrapped'], ['a'], undefined]);
    const owner = { owner: '' };
    const turns = [next.create(disk('a')), next.destroy(Object.assign(pointer, { id: 'a' }), owner)];
    pointer.id = 'b';
    owner.owner = 'someone';
    await Promise.all(turns);
    expect((await next.list(Disk.kind)).map(({ metadata }) => metadata.id)).toEqual(['b']);
  });

  it('P1: loads at the first use, once, however many calls race', async () => {
    const { memory, store, state } = setUp();
    await memory.write({ type: 'created', resource: stored(disk('a')) }, () => undefined);
    let loads = 0;
    store.beforeLoad = () => loads++;
    expect(loads).toBe(0);
    const [got, listed, watch] = await Promise.all([
      state.get(Disk.at('a')),
      state.list(Disk.kind),
      state.watchKind(Disk.kind, { bootstrapContents: true }),
    ]);
    await state.get(Disk.at('a'));
    expect(listed).toEqual([got]);
    expect((await take(watch, 2)).map(text)).toEqual(['created a@1', 'bootstrapped']);
    expect(loads).toBe(1);
  });

  it('P1: a load that failed is tried again by the next call', async () => {
    const { store, state } = setUp();
    store.beforeLoad = failing;
    const calls = await Promise.allSettled([state.list(Disk.kind), state.create(disk('a'))]);
    expect(calls).toEqual([
      { status: 'rejected', reason: full },
      { status: 'rejected', reason: full },
    ]);
    store.beforeLoad = () => undefined;
    expect(await state.list(Disk.kind)).toEqual([]);
  });

  it('S1: a call that is aborted while the store loads rejects, and the load goes on', async () => {
    const { store, state } = setUp();
    const gate = new Deferred();
    store.beforeLoad = () => gate.promise;
    const controller = new AbortController();
    const aborted = state.create(disk('a'), { signal: controller.signal });
    const other = state.list(Disk.kind);
    controller.abort(full);
    await expect(aborted).rejects.toBe(full);
    gate.resolve();
    expect(await other).toEqual([]);
  });

  it('R1: times begin after the newest that the store holds', async () => {
    const future = new Timestamp(9_000_000_000, 5);
    const old = stored(disk('a'));
    const loaded = old.withMetadata(old.metadata.with({ created: new Timestamp(1, 0), updated: future }));
    const state = new InMemoryState({ store: storeOf(loaded), clock: new VirtualClock() });
    const watch = await state.watchKind(Disk.kind, { bootstrapBookmark: true });
    const [noop] = await take(watch, 1);
    expect(noop).toMatchObject({ resource: { metadata: { updated: future.next() } } });
  });

  it('S17: resources of peers that break the rules for new ones are loaded', async () => {
    const odd = stored(disk('x'.repeat(3000), { namespace: '' }));
    const state = new InMemoryState({ store: storeOf(odd) });
    expect(await state.get(odd.metadata)).toBe(odd);
  });

  it('refuses a store that gives one resource twice, or one of another namespace', async () => {
    const a = stored(disk('a'));
    await expect(new InMemoryState({ store: storeOf(a, a) }).list(Disk.kind)).rejects.toMatchObject({
      code: 'corrupt',
      subject: { namespace: 'test', type: Disk.type, id: 'a' },
    });
    await expect(new InMemoryState('other', { store: storeOf(a) }).list(Disk.in('other'))).rejects.toMatchObject({
      code: 'corrupt',
    });
  });

  it('S15: states of namespaces share one store', async () => {
    const memory = new MemoryStore();
    const [one, two] = ['test', 'other'].map((ns) => new InMemoryState(ns, { store: memory.namespace(ns) }));
    await one?.create(disk('a'));
    await two?.create(disk('a', { namespace: 'other' }));
    expect(await new InMemoryState('other', { store: memory.namespace('other') }).list(Disk.in('other'))).toHaveLength(
      1,
    );
    expect(await new InMemoryState({ store: memory }).list(Disk.kind)).toHaveLength(1);
  });
});

describe('writing to a backing store', () => {
  it('P1: a change is written before anyone sees it', async () => {
    const { store, state } = setUp();
    const gate = new Deferred();
    const watch = await state.watchKind(Disk.kind);
    store.beforeWrite = () => gate.promise;
    const creating = state.create(disk('a'));
    await expect(state.get(Disk.at('a'))).rejects.toSatisfy(isNotFound);
    expect(await state.list(Disk.kind)).toEqual([]);
    gate.resolve();
    const created = await creating;
    expect(await state.get(Disk.at('a'))).toBe(created);
    expect((await take(watch, 1))[0]).toMatchObject({ type: 'created', resource: created });
  });

  it('P1: a write that fails leaves memory, store and watchers as they were, and the caller gets the error', async () => {
    const { memory, store, state } = setUp();
    const before = await state.create(disk('a'));
    const watch = await state.watchKind(Disk.kind, { bootstrapBookmark: true });
    const position = bookmark((await take(watch, 1))[0]);
    store.beforeWrite = failing;
    for (const write of [state.create(disk('b')), state.update(before), state.destroy(Disk.at('a'))]) {
      await expect(write).rejects.toBe(full);
    }
    expect(await state.list(Disk.kind)).toEqual([before]);
    expect(await new InMemoryState({ store: memory }).list(Disk.kind)).toEqual([before]);
    store.beforeWrite = () => undefined;
    const after = await state.update(before);
    expect(after.metadata.version).toBe(2n);
    expect((await take(watch, 1)).map(text)).toEqual(['updated a@2']);
    const resumed = await state.watchKind(Disk.kind, { startFromBookmark: position });
    expect((await take(resumed, 1)).map(text)).toEqual(['updated a@2']);
  });

  it('S16: of writes that race for one version one succeeds, each having seen the one before', async () => {
    const { store, state } = setUp();
    const present = await state.create(disk('a'));
    store.beforeWrite = () => new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
    const results = await Promise.allSettled([1, 2, 3].map(() => state.update(present)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(results.every((each) => each.status === 'fulfilled' || isConflict(each.reason))).toBe(true);
    const chain = [state.destroy(Disk.at('a')), state.create(disk('a', {}, 2)), state.destroy(Disk.at('a'))];
    await Promise.all(chain);
    await expect(state.get(Disk.at('a'))).rejects.toSatisfy(isNotFound);
  });

  it('P2: writes to different resources are in progress together, and become visible as they are committed', async () => {
    const { store, state } = setUp();
    const gates = new Map([
      ['a', new Deferred()],
      ['b', new Deferred()],
    ]);
    const begun: string[] = [];
    store.beforeWrite = ({ resource }) => {
      begun.push(resource.metadata.id);
      return gates.get(resource.metadata.id)?.promise;
    };
    const watch = await state.watchKind(Disk.kind);
    const [a, b] = [state.create(disk('a')), state.create(disk('b'))];
    expect(begun).toEqual(['a', 'b']);
    gates.get('b')?.resolve();
    await b;
    gates.get('a')?.resolve();
    await a;
    expect((await take(watch, 2)).map(text)).toEqual(['created b@1', 'created a@1']);
  });

  it('S1: a write that is aborted has its full effect or none', async () => {
    const { store, state } = setUp();
    await state.list(Disk.kind);
    const gate = new Deferred();
    const writes: StoreChange[] = [];
    store.beforeWrite = (change) => {
      writes.push(change);
      return gate.promise;
    };
    const controller = new AbortController();
    const { signal } = controller;
    const begun = state.create(disk('a'), { signal });
    const queued = state.destroy(Disk.at('a'), { signal });
    controller.abort(full);
    await expect(begun).rejects.toBe(full);
    await expect(queued).rejects.toBe(full);
    gate.resolve();
    const after = state.update(stored(disk('a')));
    expect((await after).metadata.version).toBe(2n);
    expect(writes.map(({ type }) => type)).toEqual(['created', 'updated']);
  });

  it('R1: the times of writes that wait are strictly increasing too', async () => {
    const { state } = setUp();
    const all = await Promise.all(['a', 'b', 'c'].map((id) => state.create(disk(id))));
    const times = all.map(({ metadata }) => metadata.created);
    for (const [i, time] of times.slice(1).entries()) expect(time.compare(times[i] as Timestamp)).toBeGreaterThan(0);
  });

  it('P4: closing waits for writes in progress, and calls after it fail', async () => {
    const { memory, store, state } = setUp();
    await state.list(Disk.kind);
    const gate = new Deferred();
    store.beforeWrite = () => gate.promise;
    const writing = state.create(disk('a'));
    let closed = false;
    const closing = state.close().then(() => {
      closed = true;
    });
    await expect(state.list(Disk.kind)).rejects.toSatisfy(isClosed);
    expect(closed).toBe(false);
    gate.resolve();
    const written = await writing;
    await closing;
    expect(await new InMemoryState({ store: memory }).list(Disk.kind)).toEqual([written]);
  });

  it('P4: calls that wait for a load when the state is closed are refused', async () => {
    const { store, state } = setUp();
    const gate = new Deferred();
    store.beforeLoad = () => gate.promise;
    const waiting = state.create(disk('a'));
    const closing = state.close();
    gate.resolve();
    await expect(waiting).rejects.toSatisfy(isClosed);
    await closing;
    expect(inspect(state).watches).toBe(0);
  });

  it('tells a store that does not keep to its contract', async () => {
    const silent: BackingStore = { ...storeOf(), write: async () => undefined };
    await expect(new InMemoryState({ store: silent }).create(disk('a'))).rejects.toThrow(/without committing/);
    const twice: BackingStore = {
      ...storeOf(),
      write: async (_, commit) => {
        commit();
        commit();
      },
    };
    await expect(new InMemoryState({ store: twice }).create(disk('a'))).rejects.toThrow(/twice/);
  });

  it('W12: the history is bounded by the encoded size where the store tells it', async () => {
    const store: BackingStore = { ...storeOf(), write: async (_, commit) => commit({ encodedBytes: 400_000 }) };
    const state = new InMemoryState({ store, history: { maxBytes: 1_000_000 } });
    for (const id of ['a', 'b', 'c', 'd']) await state.create(disk(id));
    const tail = await state.watchKindAggregated(Disk.kind, { tailEvents: 10 });
    expect((await take(tail, 1))[0]).toHaveLength(2);
  });
});
