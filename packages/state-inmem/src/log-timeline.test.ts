import { isInvalidBookmark, isOverrun, label } from '@cosi-ts/resource';
import type { Bookmark, WatchKindOptions } from '@cosi-ts/state';

import { describe, expect, it } from 'vitest';
import type { BackingStore } from './backing-store.js';
import { InMemoryState } from './in-memory-state.js';
import { inspect } from './internal.js';
import { Deferred } from './testing/deferred.js';
import { Disk, disk, labelled, Network } from './testing/disks.js';
import { LoggedDatabase } from './testing/logged-database.js';
import { bookmark, take, text, touch } from './testing/watch-reading.js';

function open(database: LoggedDatabase, maxEvents = 65_536) {
  return new InMemoryState('test', { store: database.store('test'), history: { maxEvents } });
}

async function present(state: InMemoryState): Promise<Bookmark> {
  await using watch = await state.watchKind(Disk.kind, { bootstrapBookmark: true });
  return bookmark((await take(watch, 1))[0]);
}

describe('bookmarks of a durable store', () => {
  it('W10: are the epoch and the position, and resume exactly after a restart', async () => {
    const first = new LoggedDatabase(1);
    const state = open(first);
    const watch = await state.watchKind(Disk.kind);
    await touch(state, await state.create(disk('a', { labels: { x: '1' } })), 3);
    await state.create(disk('b'));
    const events = await take(watch, 5);
    expect(bookmark(events[1])).toEqual(Uint8Array.of(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2));
    await state.close();

    const again = open(new LoggedDatabase(2, first));
    await again.create(disk('c'));
    for (const [i, event] of events.entries()) {
      const startFromBookmark = bookmark(event);
      const rest = [...events.slice(i + 1).map(text), 'created c@1'];
      const single = await again.watchKind(Disk.kind, { startFromBookmark });
      const resumed = await take(single, rest.length);
      expect(resumed.map(text)).toEqual(rest);
      expect(resumed.slice(0, -1).map(bookmark)).toEqual(events.slice(i + 1).map(bookmark));
      const filtered = await again.watchKind(Disk.kind, { startFromBookmark, id: '^[bc]' });
      const seen = rest.filter((each) => !each.includes(' a@'));
      expect((await take(filtered, seen.length)).map(text)).toEqual(seen);
      await Promise.all([single.close(), filtered.close()]);
    }
  });

  it('W10: resume watches of one resource too, whose past is in the log and in memory', async () => {
    const first = new LoggedDatabase(1);
    const state = open(first);
    const watch = await state.watchKind(Disk.kind);
    await state.create(disk('b'));
    const a = await touch(state, await state.create(disk('a')), 3);
    const events = await take(watch, 5);
    for (const [i, event] of events.entries()) {
      const again = open(new LoggedDatabase(i + 2, first));
      await again.update(a);
      const one = await again.watch(Disk.at('a'), { startFromBookmark: bookmark(event) });
      await again.create(disk('c'));
      await again.destroy(Disk.at('a'));
      const rest = [...events.slice(i + 1).map(text), 'updated a@5', 'destroyed a@5'];
      expect((await take(one, rest.length)).map(text)).toEqual(rest);
    }
  });

  it('W10: from every epoch and every position', async () => {
    let database = new LoggedDatabase(1);
    const marks: Bookmark[] = [];
    const texts: string[] = [];
    for (let epoch = 2; epoch < 6; epoch++) {
      const state = open(database);
      for (const id of [`a${epoch}`, `b${epoch}`]) {
        marks.push(await present(state));
        await state.create(disk(id));
        texts.push(`created ${id}@1`);
      }
      await state.close();
      database = new LoggedDatabase(epoch, database);
    }
    const state = open(database);
    for (const [i, startFromBookmark] of marks.entries()) {
      const watch = await state.watchKind(Disk.kind, { startFromBookmark });
      expect((await take(watch, texts.length - i)).map(text)).toEqual(texts.slice(i));
    }
  });

  it('W10: are refused by another copy of the database', async () => {
    const original = new LoggedDatabase(1);
    const state = open(original);
    await state.create(disk('a'));
    const shared = await present(state);
    const copy = new LoggedDatabase(2, original);
    await state.create(disk('only-in-the-original'));
    const after = await present(state);

    const copied = open(copy);
    await touch(copied, await copied.create(disk('b')), 3);
    const resumed = await copied.watchKind(Disk.kind, { startFromBookmark: shared });
    expect((await take(resumed, 1)).map(text)).toEqual(['created b@1']);
    await expect(copied.watchKind(Disk.kind, { startFromBookmark: after })).rejects.toSatisfy(isInvalidBookmark);
    const other = await present(copied);
    await expect(state.watchKind(Disk.kind, { startFromBookmark: other })).rejects.toSatisfy(isInvalidBookmark);
  });

  it('W9: mean the same in all namespaces of the database', async () => {
    const database = new LoggedDatabase(1);
    const state = open(database);
    const other = new InMemoryState('other', { store: database.store('other') });
    await other.create(disk('x', { namespace: 'other' }));
    await state.create(disk('a'));
    const mark = await present(state);
    await other.create(disk('y', { namespace: 'other' }));
    const watch = await other.watchKind(Disk.in('other'), { startFromBookmark: mark });
    expect((await take(watch, 1)).map(text)).toEqual(['created y@1']);
    expect((await present(state))[15]).toBe(3);
  });

  it('W9: are refused when the log has been compacted past them', async () => {
    const database = new LoggedDatabase(1);
    const state = open(database, 2);
    const mark = await present(state);
    await touch(state, await state.create(disk('a')), 5);
    await (await state.watchKind(Disk.kind, { startFromBookmark: mark })).close();
    database.compact(1);
    await expect(state.watchKind(Disk.kind, { startFromBookmark: mark })).rejects.toSatisfy(isInvalidBookmark);
    const future = mark.slice();
    future[14] = 9;
    await expect(state.watchKind(Disk.kind, { startFromBookmark: future })).rejects.toSatisfy(isInvalidBookmark);
  });
});

describe('watchers behind what memory holds', () => {
  it('W10: are served from the log, and go on in memory without a gap', async () => {
    const database = new LoggedDatabase(1);
    const state = open(database, 4);
    const kind = await state.watchKindAggregated(Disk.kind);
    const web = await state.watchKind(Disk.kind, { labels: [label('tier').is('web')] });
    const one = await state.watch(Disk.at('a'), { tailEvents: 1 });
    let a = await state.create(disk('a'));
    await state.create(Network.new('n', { size: 1 }));
    for (let i = 0; i < 10; i++) a = await state.update(labelled(a, { tier: i % 2 === 0 ? 'web' : 'db' }));
    const texts = Array.from({ length: 12 }, (_, i) => (i === 0 ? 'created a@1' : `updated a@${i + 1}`)).slice(0, 11);
    const seen: string[] = [];
    while (seen.length < 11) seen.push(...((await kind.next()).value ?? []).map(text));
    expect(seen).toEqual(texts);
    expect((await take(one, 11)).map(text)).toEqual(texts);
    const changes = Array.from({ length: 10 }, (_, i) => `${i % 2 === 0 ? 'created' : 'destroyed'} a@${i + 2}`);
    expect((await take(web, 10)).map(text)).toEqual(changes);
    const { reads } = database;
    await state.update(a);
    expect((await take(one, 1)).map(text)).toEqual(['updated a@12']);
    expect((await take(kind, 1))[0]?.map(text)).toEqual(['updated a@12']);
    expect(database.reads).toBe(reads);
  });

  it('W7: get tail events from the log', async () => {
    const first = new LoggedDatabase(1);
    const before = open(first);
    await touch(before, await before.create(disk('a')), 4);
    await before.close();
    const state = open(new LoggedDatabase(2, first));
    await state.create(disk('b'));
    const kind = await state.watchKind(Disk.kind, { tailEvents: 3, bootstrapBookmark: true });
    const events = await take(kind, 4);
    expect(events.map(text)).toEqual(['noop', 'updated a@4', 'updated a@5', 'created b@1']);
    const again = await state.watchKind(Disk.kind, { startFromBookmark: bookmark(events[0]) });
    expect((await take(again, 3)).map(text)).toEqual(events.slice(1).map(text));
    const one = await state.watch(Disk.at('a'), { tailEvents: 2 });
    expect((await take(one, 2)).map(text)).toEqual(['updated a@4', 'updated a@5']);
  });

  it('W1: what is done with the options while the log is read for a tail is too late', async () => {
    const first = new LoggedDatabase(1);
    const before = open(first);
    await before.create(disk('a'));
    await before.close();
    const state = open(new LoggedDatabase(2, first));
    await state.get(Disk.at('a'));
    const options: WatchKindOptions = { tailEvents: 5, bootstrapBookmark: true };
    const establishing = state.watchKind(Disk.kind, options);
    Object.assign(options, { bootstrapBookmark: false, signal: AbortSignal.abort() });
    expect((await take(await establishing, 2)).map(text)).toEqual(['noop', 'created a@1']);
  });

  it('W8: what a watcher of one resource has had from memory does not come again from the log', async () => {
    const state = open(new LoggedDatabase(1), 2);
    let a = await state.create(disk('a'));
    const watch = await state.watch(Disk.at('a'));
    const from = bookmark((await take(watch, 1))[0]);
    a = await touch(state, a, 2);
    const resumed = await state.watch(Disk.at('a'), { startFromBookmark: from });
    expect((await take(resumed, 2)).map(text)).toEqual(['updated a@2', 'updated a@3']);
    expect((await take(watch, 1)).map(text)).toEqual(['updated a@2']);
    await touch(state, a, 4);
    const late = ['updated a@4', 'updated a@5', 'updated a@6', 'updated a@7'];
    expect((await take(resumed, 4)).map(text)).toEqual(late);
    expect((await take(watch, 5)).map(text)).toEqual(['updated a@3', ...late]);
  });

  it('W7: nothing that happens while the log is read for a tail is lost or comes twice', async () => {
    const first = new LoggedDatabase(1);
    const before = open(first);
    await before.create(disk('a'));
    await before.close();
    const database = new LoggedDatabase(2, first);
    const state = open(database);
    const a = await state.get(Disk.at('a'));
    const gate = new Deferred();
    database.beforeRead = () => gate.promise;
    const establishing = [
      state.watchKind(Disk.kind, { tailEvents: 5 }),
      state.watch(Disk.at('a'), { tailEvents: 5 }),
    ] as const;
    await state.update(a);
    gate.resolve();
    for (const watch of await Promise.all(establishing)) {
      expect((await take(watch, 2)).map(text)).toEqual(['created a@1', 'updated a@2']);
    }
  });

  it('W12: are overrun only past the log', async () => {
    const database = new LoggedDatabase(1);
    const state = open(database, 2);
    const watch = await state.watchKind(Disk.kind);
    await touch(state, await state.create(disk('a')), 9);
    database.compact(5);
    const [errored] = await take(watch, 1);
    expect(errored).toMatchObject({ type: 'errored', error: { position: 0n, writePosition: 10n, capacity: 5 } });
    expect(errored?.type === 'errored' && isOverrun(errored.error)).toBe(true);
    expect(inspect(state).watches).toBe(0);
  });

  it('get the error of a log that cannot be read, and end', async () => {
    const database = new LoggedDatabase(1);
    const state = open(database, 2);
    const watch = await state.watchKind(Disk.kind);
    await touch(state, await state.create(disk('a')), 9);
    const broken = new Error('broken log');
    database.beforeRead = () => Promise.reject(broken);
    expect(await take(watch, 1)).toEqual([{ type: 'errored', error: broken }]);
    await expect(state.watchKind(Disk.kind, { tailEvents: 9 })).rejects.toBe(broken);
    expect(inspect(state).watches).toBe(0);
  });

  it('W2: end at once when they are closed while the log is read, and leave nothing behind', async () => {
    const database = new LoggedDatabase(1);
    const state = open(database, 2);
    const watch = await state.watchKind(Disk.kind);
    await touch(state, await state.create(disk('a')), 9);
    const gate = new Deferred();
    database.beforeRead = () => gate.promise;
    const controller = new AbortController();
    const next = watch.next();
    const tail = state.watchKind(Disk.kind, { tailEvents: 9, signal: controller.signal });
    const late = state.watchKindAggregated(Disk.kind, { tailEvents: 9 });
    await watch.close();
    expect((await next).done).toBe(true);
    controller.abort(new Error('enough'));
    await expect(tail).rejects.toThrow('enough');
    await state.close();
    gate.resolve();
    await expect(late).rejects.toMatchObject({ code: 'closed' });
    expect(inspect(state).watches).toBe(0);
  });
});

describe('the commits of a durable store', () => {
  it('P2: come in batches, whose changes are published in the order of positions', async () => {
    const database = new LoggedDatabase(1);
    const state = open(database);
    const watch = await state.watchKind(Disk.kind);
    const sizes: number[] = [];
    database.beforeBatch = (size) => sizes.push(size);
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => state.create(disk(id))));
    const events = await take(watch, 4);
    expect(sizes).toEqual([4]);
    expect(events.map((event) => bookmark(event)[15])).toEqual([1, 2, 3, 4]);
  });

  it('P1: a batch that fails leaves nothing, and its positions are used again', async () => {
    const database = new LoggedDatabase(1);
    const state = open(database);
    const watch = await state.watchKind(Disk.kind);
    const full = new Error('disk full');
    database.beforeBatch = () => Promise.reject(full);
    const writes = await Promise.allSettled(['a', 'b'].map((id) => state.create(disk(id))));
    expect(writes.map((each) => each.status)).toEqual(['rejected', 'rejected']);
    database.beforeBatch = () => undefined;
    await state.create(disk('c'));
    const [event] = await take(watch, 1);
    expect([text(event), bookmark(event)[15]]).toEqual(['created c@1', 1]);
  });

  it('must name positions, each larger than the one before', async () => {
    const database = new LoggedDatabase(1);
    const { log, load } = database.store('test');
    for (const [position, message] of [
      [undefined, /with their positions/],
      [0, /committed position 0/],
      [99, /committed position 99/],
    ] as const) {
      const receipt = position === undefined ? {} : { position };
      const wrong: BackingStore = { log, load, write: async (_, commit) => commit(receipt) };
      await expect(new InMemoryState({ store: wrong }).create(disk('a'))).rejects.toThrow(message);
    }
  });
});
