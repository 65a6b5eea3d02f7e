import { isCorrupt, isNotFound, Metadata, type Resource, Timestamp } from '@cosi-ts/resource';
import type { Marshaler, StoreChange } from '@cosi-ts/state-inmem';
import { beforeEach, describe, expect, it } from 'vitest';
import { framed } from './checksum.js';
import { Database } from './database.js';
import { resourceKey } from './keys.js';
import type { LevelDBStoreOptions } from './options.js';
import { copyOf, flipAt } from './testdata/damage.js';
import { at, ids, loaded, marshaler, openStore, stateOn, Thing, temporaryFolder, thing } from './testdata/things.js';

describe('NamespaceStore', () => {
  let folder: string;

  async function fill(...resources: Resource[]) {
    const store = await openStore(folder);
    for (const resource of resources) {
      const change: StoreChange = { type: 'created', resource };
      await store.namespace(resource.metadata.namespace).write(change, () => undefined);
    }
    await store.close();
  }

  async function tamper(work: (database: Database) => Promise<void>) {
    const database = await Database.open(folder);
    await work(database);
    await database.close();
  }

  const open = (options: Partial<LevelDBStoreOptions> = {}) => openStore(folder, options);

  beforeEach(async () => {
    folder = await temporaryFolder();
  });

  it('S15: loads its own resources, in order, and no other namespace’s', async () => {
    await fill(thing('b'), thing('a'), thing('x', 1n, 'x', 'thing'), thing('y', 1n, 'x', 'things2'), thing('ä'));
    const store = await open();
    expect(ids(await loaded(store))).toEqual(['a', 'b', 'ä']);
    expect(ids(await loaded(store, 'thing'))).toEqual(['x']);
    expect(await loaded(store, 'none')).toEqual([]);
  });

  it('R16: decodes no spec when it loads', async () => {
    await fill(thing('a'));
    const [resource] = await loaded(await open());
    expect(resource?.content.declaration).toBeUndefined();
    expect(Thing.from(resource as Resource).spec).toEqual({ text: 'text of a' });
  });

  it('makes no resource before someone asks for it, and then once', async () => {
    await fill(thing('a'), thing('b'));
    const read: string[] = [];
    const counting: Marshaler = {
      ...marshaler,
      unmarshal: (bytes, place) => {
        read.push(place.id);
        return marshaler.unmarshal(bytes, place);
      },
    };
    const state = stateOn(await open({ marshaler: counting }));
    await expect(state.get(at('c'))).rejects.toSatisfy(isNotFound);
    expect(read).toEqual([]);
    const b = await state.get(at('b'));
    expect(await state.get(at('b'))).toBe(b);
    expect(read).toEqual(['b']);
    expect((await state.list(Thing.kind)).map(({ metadata }) => metadata.id)).toEqual(['a', 'b']);
    expect(read).toEqual(['b', 'a']);
    await state.close();
  });

  it('R1: times come after those of what nobody has read yet', async () => {
    const late = new Timestamp(253_402_300_000, 0);
    const resource = thing('a');
    await fill(resource.withMetadata(resource.metadata.with({ updated: late })));
    const state = stateOn(await open());
    const { metadata } = await state.create(Thing.new('b', { text: 'new' }));
    expect(metadata.created.compare(late)).toBeGreaterThan(0);
    await state.close();
  });

  it('P3: strict loading fails, and names the resource and the cause', async () => {
    await fill(thing('a'), thing('b'), thing('c'));
    await tamper((database) =>
      database.write(
        (batch) => batch.put(resourceKey(at('b')), framed(resourceKey(at('b')), Buffer.from('rubbish'))),
        true,
      ),
    );
    const loading = loaded(await open());
    await expect(loading).rejects.toMatchObject({ code: 'corrupt', subject: at('b') });
    await expect(loading).rejects.toThrow('Things.test.cosi.dev(things/b)');
  });

  it('P3: lenient loading gives the rest, tells of the bad ones, and does not write over them', async () => {
    await fill(thing('a'), thing('b'), thing('c'));
    await tamper((database) =>
      database.write((batch) => batch.put(resourceKey(at('b')), Buffer.from('bad frame')), true),
    );
    const store = await open({ loading: 'lenient' });
    const state = stateOn(store);
    expect(ids(await state.list(Thing.kind))).toEqual(['a', 'c']);
    expect(store.badRecords).toMatchObject([{ pointer: at('b'), error: { code: 'corrupt', subject: at('b') } }]);
    const creating = state.create(Thing.new('b', { text: 'new' }));
    await expect(creating).rejects.toMatchObject({ code: 'corrupt', subject: at('b') });
    await state.create(Thing.new('d', { text: 'new' }));
    await state.close();
    await store.close();
    await tamper(async (database) => {
      expect(Buffer.from((await database.get(resourceKey(at('b')))) as Uint8Array).toString()).toBe('bad frame');
    });
    const again = await open({ loading: 'lenient' });
    expect(ids(await loaded(again))).toEqual(['a', 'c', 'd']);
    expect(again.badRecords).toHaveLength(1);
  });

  it('P5: a flipped bit in a stored value is an error that names the record', async () => {
    await fill(thing('a', 1n, 'the first text'), thing('b', 1n, 'the second text'));
    await flipAt(folder, '.ldb', 'the second text');
    const store = await open();
    await expect(loaded(store)).rejects.toThrow(/Things\.test\.cosi\.dev\(things\/b\).*checksum/);
    await store.close();
    expect(ids(await loaded(await open({ loading: 'lenient' })))).toEqual(['a']);
  });

  it('P5: a flipped bit in a log is refused at opening, before anything is lost over it', async () => {
    const store = await openStore(folder);
    for (const id of ['a', 'b']) {
      const change: StoreChange = { type: 'created', resource: thing(id, 1n, `the text of ${id}`) };
      await store.namespace('things').write(change, () => undefined);
    }
    folder = await copyOf(folder);
    const name = await flipAt(folder, '.log', 'the text of a');
    for (const attempt of [1, 2]) {
      await expect(open(), `attempt ${attempt}`).rejects.toThrow(name);
      await expect(open({ loading: 'lenient' }), `attempt ${attempt}`).rejects.toSatisfy(isCorrupt);
    }
    await flipAt(folder, '.log', 'uhe text of a');
    expect(ids(await loaded(await open()))).toEqual(['a', 'b']);
  });

  it('P5: records that were swapped are refused', async () => {
    await fill(thing('a'), thing('b'));
    const [a, b] = [resourceKey(at('a')), resourceKey(at('b'))];
    await tamper(async (database) => {
      const [valueA, valueB] = [await database.get(a), await database.get(b)];
      await database.write((batch) => {
        batch.put(a, valueB as Uint8Array);
        batch.put(b, valueA as Uint8Array);
      }, true);
    });
    await expect(loaded(await open())).rejects.toThrow('Things.test.cosi.dev(things/a)');
  });

  it('P5: a record that holds another resource is refused, though its checksum fits', async () => {
    await fill(thing('a'));
    const record = await marshaler.marshal(thing('b'), at('b'));
    await tamper((database) =>
      database.write((batch) => batch.put(resourceKey(at('a')), framed(resourceKey(at('a')), record)), true),
    );
    await expect(loaded(await open())).rejects.toThrow(/things\/a.*holds resource Things.test.cosi.dev\(things\/b\)/);
  });

  it('P5: counts what it loads: missing, additional and older records are noticed', async () => {
    const cases: [string, (database: Database) => Promise<void>, RegExp][] = [
      [
        'missing',
        (db) => db.write((batch) => batch.del(resourceKey(at('b'))), true),
        /should hold 3 resources, and holds 2/,
      ],
      [
        'additional',
        async (db) => {
          const key = resourceKey(at('z'));
          const record = await marshaler.marshal(thing('z'), at('z'));
          await db.write((batch) => batch.put(key, framed(key, record)), true);
        },
        /should hold 3 resources, and holds 4/,
      ],
      [
        'older',
        async (db) => {
          const key = resourceKey(at('c'));
          const record = await marshaler.marshal(thing('c', 4n), at('c'));
          await db.write((batch) => batch.put(key, framed(key, record)), true);
        },
        /not the ones last written/,
      ],
    ];
    for (const [name, work, message] of cases) {
      folder = await temporaryFolder();
      await fill(thing('a'), thing('b'), thing('c', 5n));
      await tamper(work);
      const copy = await copyOf(folder);
      await expect(loaded(await open()), name).rejects.toThrow(message);
      expect((await loaded(await openStore(copy, { loading: 'lenient' }))).length, name).toBeGreaterThan(1);
    }
  });

  it('P1: a load that failed is done again by the next use', async () => {
    let fails = true;
    const flaky: Marshaler = {
      marshal: marshaler.marshal,
      unmarshal: (bytes, place) => {
        if (fails) throw new Error('the key is not to be had');
        return marshaler.unmarshal(bytes, place);
      },
    };
    await fill(thing('a'));
    const state = stateOn(await open({ marshaler: flaky, loading: 'lenient' }));
    await expect(state.get(at('a'))).rejects.toThrow('the key is not to be had');
    fails = false;
    expect((await state.get(at('a'))).metadata).toBeInstanceOf(Metadata);
    await state.close();
  });
});
