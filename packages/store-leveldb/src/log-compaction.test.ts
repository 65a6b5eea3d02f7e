import { isInvalidBookmark } from '@cosi-ts/resource';
import { type Event, nextTurn, VirtualClock } from '@cosi-ts/state';
import type { StoreChange } from '@cosi-ts/state-inmem';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from './database.js';
import type { LevelDBStore } from './level-db-store.js';
import type { LevelDBStoreOptions } from './options.js';
import { marshaler, openStore, stateOn, Thing, temporaryFolder, thing } from './testdata/things.js';
import { verifyLevelDBStore } from './verify.js';

const day = 24 * 3600 * 1000;

describe('LogCompaction', () => {
  let folder: string;
  let clock: VirtualClock;
  let next = 1;

  beforeEach(async () => {
    folder = await temporaryFolder();
    clock = new VirtualClock();
    next = 1;
  });

  const open = (options: Partial<LevelDBStoreOptions> = {}) => openStore(folder, { clock, ...options });

  async function write(store: LevelDBStore, events: number) {
    const changes = Array.from(
      { length: events },
      (): StoreChange => ({ type: 'created', resource: thing(`t${next++}`) }),
    );
    await Promise.all(changes.map((change) => store.namespace('things').write(change, () => undefined)));
  }

  /** Waits until so many events are kept. */
  async function kept(store: LevelDBStore, events: number) {
    for (let turns = 0; (await store.stats()).events !== events; turns++) {
      if (turns > 5000) throw new Error(`there are ${(await store.stats()).events} events`);
      await nextTurn();
    }
  }

  it('P7: forgets by age, from time to time, and reports the size', async () => {
    const store = await open();
    await write(store, 5);
    const before = await store.stats();
    await clock.advance(day - 1);
    await write(store, 3);
    expect((await store.stats()).events).toBe(8);
    await clock.advance(600_000);
    await kept(store, 3);
    const { eventBytes, position } = await store.stats();
    expect(position).toBe(8);
    expect(eventBytes).toBeGreaterThan(0);
    expect(eventBytes).toBeLessThan(before.eventBytes);
    await clock.advance(day);
    await kept(store, 0);
    expect((await store.stats()).eventBytes).toBe(0);
    await store.close();
    expect(await verifyLevelDBStore(folder, { marshaler })).toMatchObject({ ok: true, contents: { events: 0 } });
  });

  it('P7: forgets by count as soon as it is the slack over, in bounded steps', async () => {
    const store = await open({ log: { maxEvents: 100, slack: 0.5, stepEvents: 20 } });
    await write(store, 149);
    expect(await store.compactLog()).toBe(49);
    await write(store, 49);
    expect((await store.stats()).events).toBe(149);
    const batches = vi.spyOn(Database.prototype, 'write');
    await write(store, 1);
    await kept(store, 100);
    // The write, and three steps for fifty events.
    expect(batches.mock.calls.length).toBe(4);
    batches.mockRestore();
  });

  it('P7: what is forgotten cannot be read or resumed from, and positions go on', async () => {
    const store = await open({ log: { maxEvents: 4 } });
    const state = stateOn(store);
    const watch = await state.watchKind(Thing.kind);
    const bookmarks: Uint8Array[] = [];
    for (let i = 1; i <= 10; i++) {
      await state.create(Thing.new(`t${i}`, { text: 'x' }));
      bookmarks.push(((await watch.next()).value as Event & { bookmark: Uint8Array }).bookmark);
    }
    await store.compactLog();
    const { log } = store.namespace('things');
    expect(log?.floor).toBe(6);
    expect(await log?.read(Thing.kind, 5, 10)).toBeUndefined();
    expect((await log?.read(Thing.kind, 6, 10))?.events).toHaveLength(4);
    expect(await log?.last(Thing.kind, 100, 10)).toHaveLength(4);
    await state.close();
    await store.close();

    const again = stateOn(await open({ log: { maxEvents: 4 } }));
    const resume = (index: number) =>
      again.watchKind(Thing.kind, { startFromBookmark: bookmarks[index] as Uint8Array });
    await expect(resume(4)).rejects.toSatisfy(isInvalidBookmark);
    expect((await (await resume(5)).next()).value).toMatchObject({ resource: { metadata: { id: 't7' } } });
    await again.close();
  });

  it('W10: epochs are forgotten with the positions in them', async () => {
    for (let round = 1; round <= 4; round++) {
      const store = await open({ log: { maxEvents: 3, slack: 10 } });
      await write(store, 2);
      await store.close();
    }
    const store = await open({ log: { maxEvents: 3, slack: 10 } });
    const { log } = store.namespace('things');
    expect(log?.epochs.map(({ start }) => start)).toEqual([0, 2, 4, 6, 8]);
    await store.compactLog();
    expect(log?.floor).toBe(5);
    expect(log?.epochs.map(({ start }) => start)).toEqual([4, 6, 8]);
    await store.close();
    expect((await open()).namespace('things').log?.epochs.map(({ start }) => start)).toEqual([4, 6, 8, 8]);
  });

  it('ends with its signal, and with the store', async () => {
    const store = await open({ log: { maxEvents: 1, stepEvents: 1 } });
    await write(store, 1);
    await expect(store.compactLog({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    await store.close();
    expect(clock.timers).toBe(0);
  });
});
