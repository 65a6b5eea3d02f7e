import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isClosed, isCorrupt, isInUse, isInvalidBookmark, isUnavailable, isUnsupported } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import type { Commit, StoreChange } from '@cosi-ts/state-inmem';
import { describe, expect, it, vi } from 'vitest';
import { Database } from './database.js';
import { formatEntry } from './format.js';
import { at, ids, loaded, marshaler, openStore, stateOn, Thing, temporaryFolder, thing } from './testdata/things.js';
import { verifyLevelDBStore } from './verify.js';

const created = (id: string): StoreChange => ({ type: 'created', resource: thing(id) });
const ignore: Commit = () => undefined;

describe('LevelDBStore', () => {
  it('P1: gives back after a reopening what was acknowledged, versions and times included', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const state = stateOn(store);
    await state.create(Thing.new('a', { text: 'one' }, { labels: { tier: 'web' }, annotations: { note: 'ä' } }));
    const updated = await state.updateWithConflicts(Thing.at('a'), (draft) => {
      draft.spec.text = 'two';
      draft.metadata.finalizers.add('keeper');
    });
    await state.create(Thing.new('b', { text: 'three' }));
    await state.destroy(Thing.at('b'));
    await state.close();
    await store.close();

    const again = stateOn(await openStore(folder));
    const found = await again.get(Thing.at('a'));
    expect(found.equals(updated)).toBe(true);
    expect(found.metadata.updated.equals(updated.metadata.updated)).toBe(true);
    expect(found.spec).toEqual({ text: 'two' });
    expect(ids(await again.list(Thing.kind))).toEqual(['a']);
  });

  it('P1: a change becomes visible only when it has been written', async () => {
    const store = await openStore(await temporaryFolder());
    const order: string[] = [];
    const write = vi.spyOn(Database.prototype, 'write');
    await store.namespace('things').write(created('a'), () => {
      order.push(`commit after ${write.mock.settledResults.length} settled`);
    });
    expect(write.mock.settledResults.map(({ type }) => type)).toEqual(['fulfilled']);
    expect(order).toEqual(['commit after 1 settled']);
    write.mockRestore();
  });

  it('P2: writes that come together share batches, each with its event, and commit in the order of positions', async () => {
    const store = await openStore(await temporaryFolder());
    const write = vi.spyOn(Database.prototype, 'write');
    const positions: (number | undefined)[] = [];
    const namespaces = ['a', 'b', 'c'];
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => {
        const namespace = namespaces[i % 3] as string;
        const change: StoreChange = { type: 'created', resource: thing(`t${i}`, 1n, 'x', namespace) };
        return store.namespace(namespace).write(change, (receipt) => positions.push(receipt?.position));
      }),
    );
    expect(write.mock.calls.length).toBeLessThan(5);
    write.mockRestore();
    expect(positions).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    expect(await store.stats()).toMatchObject({ resources: 300, namespaces: 3, position: 300, events: 300 });
    expect(store.namespaces).toEqual(namespaces);
  });

  it('P2: keeps account of namespaces as long as they hold something', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const mine = store.namespace('things');
    await mine.write(created('a'), ignore);
    expect(store.namespaces).toEqual(['things']);
    await mine.write({ type: 'destroyed', resource: thing('a') }, ignore);
    expect(store.namespaces).toEqual([]);
    expect(await store.stats()).toMatchObject({ resources: 0, namespaces: 0, events: 2 });
    await mine.write(created('b'), ignore);
    await mine.write({ type: 'destroyed', resource: thing('b') }, ignore);
    await store.close();
    const again = await openStore(folder);
    expect([again.namespaces, await loaded(again)]).toEqual([[], []]);
    await again.close();
    expect(await verifyLevelDBStore(folder, { marshaler })).toMatchObject({ ok: true, contents: { resources: 0 } });
  });

  it('P4: refuses to open a store that this process has open, and opens it after it was closed', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await expect(openStore(folder)).rejects.toSatisfy(isInUse);
    await expect(openStore(join(folder, '..', folder.split('/').at(-1) as string))).rejects.toSatisfy(isInUse);
    await store.close();
    await openStore(folder);
  });

  it('P4: refuses to open a store that another process has open, and leaves it alone', async () => {
    const folder = await temporaryFolder();
    await (await openStore(folder)).close();
    const script = `
      const { ClassicLevel } = require('classic-level');
      process.on('message', () => undefined);
      new ClassicLevel(process.argv[1]).open().then(() => process.send('open'));`;
    const other = spawn(process.execPath, ['-e', script, folder], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(other, 'message');
    const opening = openStore(folder);
    await expect(opening).rejects.toSatisfy(isInUse);
    await expect(opening).rejects.toThrow(/in use already/);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await openStore(folder);
  });

  it('P4: closing waits for the writes in progress; later calls say that it is closed', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const mine = store.namespace('things');
    const committed: number[] = [];
    const writes = [1, 2, 3].map((i) => mine.write(created(`t${i}`), () => committed.push(i)));
    const closing = store.close();
    await Promise.all(writes);
    await closing;
    expect(committed).toEqual([1, 2, 3]);
    expect(store.close()).toBe(closing);
    await expect(mine.write(created('late'), ignore)).rejects.toSatisfy(isClosed);
    await expect(mine.log?.read(Thing.kind, 0, 3)).rejects.toSatisfy(isClosed);
    await expect(store.stats()).rejects.toSatisfy(isClosed);
    await expect(store.compactLog()).rejects.toSatisfy(isClosed);
    expect(() => store.namespace('other')).toThrow(/closed/);
    expect(ids(await loaded(await openStore(folder)))).toEqual(['t1', 't2', 't3']);
  });

  it('P6: refuses a format from the future, with both versions in the message', async () => {
    const folder = await temporaryFolder();
    await (await openStore(folder)).close();
    const database = await Database.open(folder);
    await database.write((batch) => batch.put(...formatEntry(7)), true);
    await database.close();
    const opening = openStore(folder);
    await expect(opening).rejects.toSatisfy(isUnsupported);
    await expect(opening).rejects.toThrow(/format 7.*formats up to 1/);
  });

  it('says what keeps it from reading and writing', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'file');
    await writeFile(file, 'no folder');
    await expect(openStore(file)).rejects.toSatisfy(isUnavailable);
    await expect(openStore(join(file, 'below'))).rejects.toMatchObject({
      code: 'unavailable',
      cause: { code: 'ENOTDIR' },
    });
  });

  it('refuses options that make no sense', async () => {
    const folder = await temporaryFolder();
    const wrong = [{ durability: 'some' }, { loading: 'maybe' }, { log: { maxEvents: 0 } }, { log: { slack: -1 } }];
    for (const options of wrong) {
      await expect(openStore(folder, options as never), JSON.stringify(options)).rejects.toThrow(RangeError);
    }
    await expect(openStore(folder, { marshaler: undefined } as never)).rejects.toThrow(TypeError);
  });

  it('refuses a database of somebody else', async () => {
    const folder = await temporaryFolder();
    const database = await Database.open(folder, true);
    await database.write((batch) => batch.put(Buffer.from('key'), Buffer.from('value')), true);
    await database.close();
    await expect(openStore(folder)).rejects.toSatisfy(isCorrupt);
  });

  it('leaves other files in the folder alone', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await (await openStore(folder)).close();
    expect(await readdir(folder)).toContain('notes.txt');
  });

  it('P1: does not begin anew where the pointer to the database is lost', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await store.namespace('things').write(created('a'), ignore);
    await store.close();
    await rm(join(folder, 'CURRENT'));
    await expect(openStore(folder)).rejects.toSatisfy(isCorrupt);
    expect((await readdir(folder)).filter((name) => name.endsWith('.log'))).not.toEqual([]);
  });
});

describe('bookmarks of a store', () => {
  async function next(watch: AsyncIterator<Event>): Promise<Event> {
    return (await watch.next()).value as Event;
  }

  it('W10: a bookmark resumes exactly after reopenings, for a kind and for one resource', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const state = stateOn(store);
    await state.create(Thing.new('a', { text: '1' }));
    const watch = await state.watchKind(Thing.kind, { bootstrapContents: true });
    await next(watch);
    const { bookmark } = (await next(watch)) as { bookmark: Uint8Array };
    await state.create(Thing.new('b', { text: '1' }));
    await state.close();
    await store.close();

    const second = await openStore(folder);
    await stateOn(second).modify(Thing.at('a'), (draft) => {
      draft.spec.text = '2';
    });
    await second.close();

    const third = stateOn(await openStore(folder));
    await third.destroy(Thing.at('b'));
    const resumed = await third.watchKind(Thing.kind, { startFromBookmark: bookmark });
    const events = [await next(resumed), await next(resumed), await next(resumed)];
    expect(
      events.map((event) => `${event.type} ${(event as { resource: { metadata: unknown } }).resource.metadata}`),
    ).toEqual([
      'created Things.test.cosi.dev(things/b@1)',
      'updated Things.test.cosi.dev(things/a@2)',
      'destroyed Things.test.cosi.dev(things/b@1)',
    ]);
    expect(events[1]).toMatchObject({ old: { metadata: { version: 1n } } });
    const one = await third.watch(Thing.at('a'), { startFromBookmark: bookmark });
    expect(await next(one)).toMatchObject({ type: 'updated', resource: { metadata: { id: 'a', version: 2n } } });
    await third.close();
  });

  it('W10: a copy of the folder refuses bookmarks that were taken later, and the original those of the copy', async () => {
    const folder = await temporaryFolder();
    const copy = join(await temporaryFolder(), 'copy');
    const store = await openStore(folder);
    const state = stateOn(store);
    await state.create(Thing.new('a', { text: '1' }));
    const watch = await state.watchKind(Thing.kind, { bootstrapBookmark: true });
    const before = ((await next(watch)) as { bookmark: Uint8Array }).bookmark;
    await state.close();
    await store.close();
    await cp(folder, copy, { recursive: true });

    const bookmarkAfter = async (where: string, id: string) => {
      const store = await openStore(where);
      const state = stateOn(store);
      const watch = await state.watchKind(Thing.kind);
      await state.create(Thing.new(id, { text: '1' }));
      const { bookmark } = (await next(watch)) as { bookmark: Uint8Array };
      await state.close();
      await store.close();
      return bookmark;
    };
    const ofOriginal = await bookmarkAfter(folder, 'b');
    const ofCopy = await bookmarkAfter(copy, 'c');
    for (const [where, mine, other] of [
      [folder, ofOriginal, ofCopy],
      [copy, ofCopy, ofOriginal],
    ] as const) {
      const state = stateOn(await openStore(where));
      await expect(state.watchKind(Thing.kind, { startFromBookmark: other })).rejects.toSatisfy(isInvalidBookmark);
      await state.watchKind(Thing.kind, { startFromBookmark: mine });
      await state.watchKind(Thing.kind, { startFromBookmark: before });
      await state.close();
    }
  });

  it('W10: tail events come from the log after a reopening', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const state = stateOn(store);
    for (const id of ['a', 'b', 'c']) await state.create(Thing.new(id, { text: '1' }));
    await state.close();
    await store.close();
    const again = stateOn(await openStore(folder));
    const tail = await again.watchKind(Thing.kind, { tailEvents: 2 });
    expect([await next(tail), await next(tail)]).toMatchObject([
      { type: 'created', resource: { metadata: at('b') } },
      { type: 'created', resource: { metadata: at('c') } },
    ]);
    await again.close();
  });
});
