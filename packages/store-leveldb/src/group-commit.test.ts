import { isClosed, isCorrupt, isInvalidArgument, type Resource } from '@cosi-ts/resource';
import { nextTurn, VirtualClock } from '@cosi-ts/state';
import type { Marshaler, StoreChange } from '@cosi-ts/state-inmem';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Database } from './database.js';
import type { LevelDBStore } from './level-db-store.js';
import { openingEntry } from './openings.js';
import { ids, loaded, marshaler, openStore, stateOn, Thing, temporaryFolder, thing } from './testdata/things.js';

afterEach(() => vi.restoreAllMocks());

/** The next write of a batch fails, as a disk can make it fail. */
function failNextWrite(outcome: 'lost' | 'written', error = new Error('the disk failed')): void {
  const { write } = Database.prototype;
  vi.spyOn(Database.prototype, 'write').mockImplementationOnce(async function (this: Database, fill, sync) {
    if (outcome === 'written') await write.call(this, fill, sync);
    throw error;
  });
}

/** Opening fails until the function that is given back is called. */
function failOpenings(): () => void {
  const spy = vi.spyOn(Database, 'open').mockRejectedValue(new Error('the disk is full'));
  return () => spy.mockRestore();
}

async function write(store: LevelDBStore, change: StoreChange): Promise<number | undefined> {
  let position: number | undefined;
  await store.namespace(change.resource.metadata.namespace).write(change, (receipt) => {
    position = receipt?.position;
  });
  return position;
}

const created = (id: string, namespace = 'things'): StoreChange => ({
  type: 'created',
  resource: thing(id, 1n, `text of ${id}`, namespace),
});
const updated = (id: string): StoreChange => ({ type: 'updated', resource: thing(id, 2n), old: thing(id, 1n) });
const destroyed = (id: string): StoreChange => ({ type: 'destroyed', resource: thing(id) });

function versions(resources: readonly Resource[]): string[] {
  return resources.map(({ metadata }) => `${metadata.id}@${metadata.version}`);
}

function textOf(resource: Resource | false): string | undefined {
  return resource === false ? undefined : Thing.from(resource).spec.text;
}

describe('GroupCommit', () => {
  for (const outcome of ['lost', 'written'] as const) {
    it(`P1: takes back what a failed batch may have left (${outcome}), and uses its positions again`, async () => {
      const folder = await temporaryFolder();
      const store = await openStore(folder);
      for (const id of ['changed', 'gone']) await write(store, created(id));
      failNextWrite(outcome);
      const committed = vi.fn();
      const batch = [updated('changed'), destroyed('gone'), created('new'), created('other', 'elsewhere')];
      const results = await Promise.allSettled(
        batch.map((change) => store.namespace(change.resource.metadata.namespace).write(change, committed)),
      );
      expect(results.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
      expect(committed).not.toHaveBeenCalled();
      expect(await store.stats()).toMatchObject({ resources: 2, position: 2, namespaces: 1 });
      expect(await write(store, created('after'))).toBe(3);
      await store.close();

      const again = await openStore(folder);
      expect(versions(await loaded(again))).toEqual(['after@1', 'changed@1', 'gone@1']);
      expect(await loaded(again, 'elsewhere')).toEqual([]);
      const events = await again.namespace('things').log?.read(Thing.kind, 0, 3);
      expect(events?.events.map(({ type, resource }) => `${type} ${resource.metadata.id}`)).toEqual([
        'created changed',
        'created gone',
        'created after',
      ]);
    });
  }

  it('P1: acknowledges nothing while the database cannot be opened again, and goes on when it can', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await write(store, created('a'));
    const mend = failOpenings();
    failNextWrite('written');
    await expect(write(store, created('b'))).rejects.toThrow('the disk failed');
    await expect(write(store, created('c'))).rejects.toThrow('the disk is full');
    await expect(store.namespace('things').log?.read(Thing.kind, 0, 1)).rejects.toThrow('the disk is full');
    mend();
    expect(await write(store, created('d'))).toBe(2);
    await store.close();
    expect(ids(await loaded(await openStore(folder)))).toEqual(['a', 'd']);
  });

  it('P1: taking back is tried again when it fails too', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await write(store, created('a'));
    const { write: original } = Database.prototype;
    vi.spyOn(Database.prototype, 'write')
      .mockImplementationOnce(async function (this: Database, fill, sync) {
        await original.call(this, fill, sync);
        throw new Error('first');
      })
      .mockImplementationOnce(async function (this: Database, fill, sync) {
        await original.call(this, fill, sync);
        throw new Error('second');
      });
    await expect(write(store, updated('a'))).rejects.toThrow('first');
    expect(await write(store, created('b'))).toBe(2);
    await store.close();
    expect(versions(await loaded(await openStore(folder)))).toEqual(['a@1', 'b@1']);
  });

  it('P1: the writes that were gathered meanwhile go on after the reopening', async () => {
    const store = await openStore(await temporaryFolder());
    failNextWrite('lost');
    const first = write(store, created('a'));
    await nextTurn();
    const second = write(store, created('b'));
    await expect(first).rejects.toThrow('the disk failed');
    expect(await second).toBe(1);
  });

  it('P1: the caller gets the error, and memory and watchers stay as they were', async () => {
    const store = await openStore(await temporaryFolder());
    const state = stateOn(store);
    await state.create(Thing.new('a', { text: '1' }));
    const watch = await state.watchKind(Thing.kind);
    failNextWrite('written', new Error('no room'));
    await expect(state.create(Thing.new('b', { text: '1' }))).rejects.toThrow('no room');
    expect(ids(await state.list(Thing.kind))).toEqual(['a']);
    await state.create(Thing.new('b', { text: '2' }));
    const { value } = await watch.next();
    expect(value).toMatchObject({ type: 'created', resource: { spec: { text: '2' } } });
    await state.close();
  });

  it('P1: refuses to go on when somebody else had the store open in between', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await write(store, created('a'));
    const { close } = Database.prototype;
    vi.spyOn(Database.prototype, 'close').mockImplementationOnce(async function (this: Database) {
      await close.call(this);
      const other = await Database.open(folder);
      await other.write(
        (batch) => batch.put(...openingEntry({ ordinal: 2, id: Buffer.alloc(8), start: 1 }, new VirtualClock())),
        true,
      );
      await close.call(other);
    });
    failNextWrite('lost');
    await expect(write(store, created('b'))).rejects.toThrow('the disk failed');
    await expect(write(store, created('c'))).rejects.toSatisfy(isCorrupt);
    await expect(write(store, created('d'))).rejects.toSatisfy(isCorrupt);
  });

  it('P1: closing says when a failed write could not be taken back', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const mend = failOpenings();
    failNextWrite('written');
    await expect(write(store, created('a'))).rejects.toThrow('the disk failed');
    await expect(store.close()).rejects.toThrow('the disk is full');
    mend();
    await openStore(folder);
  });

  it('P2: a write that cannot be marshaled fails alone', async () => {
    let positioned = 0;
    const picky: Marshaler = {
      unmarshal: marshaler.unmarshal,
      marshal: (resource, place) => {
        if (resource.metadata.id === 'bad') throw new RangeError('not this one');
        // The second resource is refused only as an event.
        if (place.position !== undefined && resource.metadata.id === 'half') throw new RangeError('not as an event');
        if (place.position !== undefined) positioned++;
        return resource.metadata.id === 'slow'
          ? nextTurn().then(() => marshaler.marshal(resource, place))
          : marshaler.marshal(resource, place);
      },
    };
    const folder = await temporaryFolder();
    const store = await openStore(folder, { marshaler: picky });
    const results = await Promise.allSettled(['a', 'bad', 'half', 'slow', 'b'].map((id) => write(store, created(id))));
    expect(results.map((result) => (result.status === 'fulfilled' ? 'written' : String(result.reason)))).toEqual([
      'written',
      'RangeError: not this one',
      'RangeError: not as an event',
      'written',
      'written',
    ]);
    expect(positioned).toBeGreaterThan(0);
    await store.close();
    const again = await openStore(folder);
    expect(ids(await loaded(again))).toEqual(['a', 'b', 'slow']);
    expect((await again.namespace('things').log?.read(Thing.kind, 0, 3))?.events).toHaveLength(3);
  });

  it('P2: of many writers half are told that their writes are durable while those of the others are on their way', async () => {
    const store = await openStore(await temporaryFolder());
    const { write: original } = Database.prototype;
    const told: string[] = [];
    const ids = Array.from({ length: 100 }, (_, i) => `t${i}`);
    const [first, second] = [ids.slice(0, 50), ids.slice(50)];
    let firstTold: (() => void) | undefined;
    const firstAreTold = new Promise<void>((resolve) => {
      firstTold = resolve;
    });
    const spy = vi.spyOn(Database.prototype, 'write').mockImplementation(async function (this: Database, fill, sync) {
      const isSecond = spy.mock.calls.length === 2;
      await original.call(this, fill, sync);
      if (isSecond) await firstAreTold;
    });
    await Promise.all(
      ids.map((id) =>
        write(store, created(id)).then(() => {
          if (told.push(id) === first.length) firstTold?.();
        }),
      ),
    );
    expect(told).toEqual([...first, ...second]);
    expect(spy).toHaveBeenCalledTimes(2);
  });

  it('P2: what is durable is told of while the marshaler takes its time over the next batch', async () => {
    let letGo: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const slow: Marshaler = {
      unmarshal: marshaler.unmarshal,
      marshal: (resource, place) => {
        const isLateEvent = place.position !== undefined && resource.metadata.id === 't99';
        return isLateEvent ? gate.then(() => marshaler.marshal(resource, place)) : marshaler.marshal(resource, place);
      },
    };
    const store = await openStore(await temporaryFolder(), { marshaler: slow });
    const writes = Array.from({ length: 100 }, (_, i) => write(store, created(`t${i}`)));
    await Promise.all(writes.slice(0, 50));
    letGo?.();
    await Promise.all(writes);
  });

  it('marshals a resource that is updated again and again once for each version', async () => {
    const marshal = vi.fn(marshaler.marshal);
    const store = await openStore(await temporaryFolder(), { marshaler: { ...marshaler, marshal } });
    const all = [1n, 2n, 3n, 4n].map((version) => thing('a', version, `text ${version}`));
    const [first, second, third, fourth] = all as [Resource, Resource, Resource, Resource];
    await write(store, { type: 'created', resource: first });
    await write(store, { type: 'updated', resource: second, old: first });
    marshal.mockClear();
    await write(store, { type: 'updated', resource: third, old: second });
    await write(store, { type: 'updated', resource: fourth, old: third });
    expect(marshal.mock.calls.map(([resource]) => resource)).toEqual([third, fourth]);
    const log = await store.namespace('things').log?.read(Thing.kind, 1, 4);
    const texts = log?.events.map((event) => [event.type === 'updated' && event.old, event.resource].map(textOf));
    expect(texts).toEqual([
      ['text 1', 'text 2'],
      ['text 2', 'text 3'],
      ['text 3', 'text 4'],
    ]);
  });

  it.each(['destroyed', 'updated'] as const)('P2: a batch is bounded by what it replaces too: %s', async (type) => {
    const store = await openStore(await temporaryFolder());
    const large = Array.from({ length: 40 }, (_, i) => thing(`t${i}`, 1n, 'x'.repeat(512 * 1024)));
    await Promise.all(large.map((resource) => write(store, { type: 'created', resource })));
    const { write: original } = Database.prototype;
    const puts: number[] = [];
    vi.spyOn(Database.prototype, 'write').mockImplementation(async function (this: Database, fill, sync) {
      let bytes = 0;
      await original.call(
        this,
        (batch) => {
          const { put } = batch;
          batch.put = (key, value) => {
            bytes += value.length;
            return put.call(batch, key, value);
          };
          fill(batch);
        },
        sync,
      );
      puts.push(bytes);
    });
    await Promise.all(
      large.map((resource) =>
        write(
          store,
          type === 'destroyed'
            ? { type, resource }
            : ({ ...updated(resource.metadata.id), old: resource } as StoreChange),
        ),
      ),
    );
    expect(puts.length).toBeGreaterThan(1);
    // The protobuf and the YAML of the spec, of records of at most 8 MiB and the one that went over that.
    for (const bytes of puts) expect(bytes).toBeLessThan(2 * 9 * 1024 * 1024);
  });

  it.each(['written', 'refused'])(
    'P4: closing waits for a write that is still being marshaled (%s)',
    async (outcome) => {
      let letGo: (() => void) | undefined;
      const gate = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const slow: Marshaler = {
        unmarshal: marshaler.unmarshal,
        marshal: (resource, place) =>
          gate.then(() => {
            if (outcome === 'refused') throw new RangeError('refused');
            return marshaler.marshal(resource, place);
          }),
      };
      const folder = await temporaryFolder();
      const store = await openStore(folder, { marshaler: slow });
      const writing = write(store, created('a')).catch((error: Error) => error.message);
      const closing = store.close();
      await expect(write(store, created('b'))).rejects.toSatisfy(isClosed);
      letGo?.();
      expect(await writing).toBe(outcome === 'written' ? 1 : 'refused');
      await closing;
      expect(ids(await loaded(await openStore(folder)))).toEqual(outcome === 'written' ? ['a'] : []);
    },
  );

  it('S17: refuses names that cannot be stored, and keeps all others', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await expect(write(store, created('x\ud800'))).rejects.toSatisfy(isInvalidArgument);
    const names = ['a/b', '..', ' ', 'a\0b', '\u0001', 'ä\u0301', '😀', 'x'.repeat(3000), ''];
    for (const id of names) await write(store, created(id));
    await store.close();
    expect(new Set(ids(await loaded(await openStore(folder))))).toEqual(new Set(names));
  });

  it('P1: with durability "os" the disk is waited for when the store is closed', async () => {
    const store = await openStore(await temporaryFolder(), { durability: 'os' });
    const spy = vi.spyOn(Database.prototype, 'write');
    await write(store, created('a'));
    await store.close();
    expect(spy.mock.calls.map(([, sync]) => sync)).toEqual([false, true]);
  });
});
