import { isCorrupt } from '@cosi-ts/resource';
import type { EventLog, LoggedEvent, StoreChange } from '@cosi-ts/state-inmem';
import { beforeEach, describe, expect, it } from 'vitest';
import { Database } from './database.js';
import { eventKey } from './keys.js';
import { flipAt } from './testdata/damage.js';
import { at, openStore, Thing, temporaryFolder, thing } from './testdata/things.js';

const other = 'Others.test.cosi.dev';

function show(events: readonly LoggedEvent[] | undefined): string[] | undefined {
  return events?.map(({ type, position, resource }) => `${position} ${type} ${resource.metadata.id}`);
}

async function* pages(log: EventLog, subject: Parameters<EventLog['read']>[0], after: number, upTo: number) {
  for (let from = after; from < upTo; ) {
    const page = await log.read(subject, from, upTo);
    if (page === undefined) throw new Error('not kept');
    expect(page.through).toBeGreaterThan(from);
    from = page.through;
    yield page.events;
  }
}

describe('StoreLog', () => {
  let folder: string;

  async function fill(events: number) {
    const store = await openStore(folder);
    await Promise.all(
      Array.from({ length: events }, (_, i) => {
        const resource = thing(`t${i + 1}`, 1n, 'x', i % 4 === 3 ? 'others' : 'things');
        const change: StoreChange = { type: 'created', resource };
        return store.namespace(resource.metadata.namespace).write(change, () => undefined);
      }),
    );
    return store;
  }

  /** Changes the database behind the store's back. */
  async function tamper(work: (database: Database) => Promise<void>) {
    const database = await Database.open(folder);
    await work(database);
    await database.close();
  }

  beforeEach(async () => {
    folder = await temporaryFolder();
  });

  it('W10: gives the events of a kind or a resource, in pages that get further', async () => {
    const log = (await fill(3000)).namespace('things').log as EventLog;
    const all: LoggedEvent[] = [];
    for await (const events of pages(log, Thing.kind, 10, 2999)) all.push(...events);
    expect(all).toHaveLength(2242);
    expect(show(all.slice(0, 3))).toEqual(['11 created t11', '13 created t13', '14 created t14']);
    expect(all.at(-1)?.position).toBe(2999);
    const one: LoggedEvent[] = [];
    for await (const events of pages(log, at('t2501'), 0, 3000)) one.push(...events);
    expect(show(one)).toEqual(['2501 created t2501']);
    expect(await log.read({ namespace: 'things', type: other }, 0, 100)).toEqual({ events: [], through: 100 });
  });

  it('W10: gives the last events up to a position', async () => {
    const log = (await fill(2500)).namespace('things').log as EventLog;
    expect(show(await log.last(Thing.kind, 3, 2400))).toEqual([
      '2397 created t2397',
      '2398 created t2398',
      '2399 created t2399',
    ]);
    expect(show(await log.last(at('t5'), 10, 2500))).toEqual(['5 created t5']);
    expect(await log.last({ namespace: 'things', type: other }, 10, 2500)).toEqual([]);
    expect(await log.last(Thing.kind, 5000, 2500)).toHaveLength(1875);
  });

  it('keeps kinds apart whose names begin alike', async () => {
    const store = await openStore(folder);
    const resource = thing('a', 1n, 'x', 'thing');
    await store.namespace('thing').write({ type: 'created', resource }, () => undefined);
    const log = store.namespace('thing').log as EventLog;
    expect((await log.read(Thing.kind, 0, 1))?.events).toEqual([]);
    expect((await log.read(resource.metadata, 0, 1))?.events).toHaveLength(1);
  });

  it('P5: names the event when its record is damaged, or lies at another position', async () => {
    await (await fill(4)).close();
    await tamper(async (database) => {
      const [third, second] = [await database.get(eventKey(3)), await database.get(eventKey(2))];
      await database.write((batch) => batch.put(eventKey(2), third as Uint8Array), true);
      await database.write((batch) => batch.put(eventKey(3), second as Uint8Array), true);
    });
    const log = (await openStore(folder)).namespace('things').log as EventLog;
    expect((await log.read(Thing.kind, 0, 1))?.events).toHaveLength(1);
    await expect(log.read(Thing.kind, 1, 4)).rejects.toThrow('event 2 of the store');
    await expect(log.last(Thing.kind, 4, 4)).rejects.toSatisfy(isCorrupt);
  });

  it('P5: a flipped bit in a stored event is an error that names it', async () => {
    const store = await openStore(folder);
    const mine = store.namespace('things');
    for (const id of ['a', 'b']) {
      await mine.write({ type: 'created', resource: thing(id, 1n, `about ${id}`) }, () => undefined);
    }
    await store.close();
    await flipAt(folder, '.ldb', 'about b', 'first');
    const { log } = (await openStore(folder)).namespace('things');
    expect((await log?.read(Thing.kind, 0, 1))?.events).toHaveLength(1);
    await expect(log?.read(Thing.kind, 0, 2)).rejects.toThrow('event 2 of the store');
  });

  it('P5: says which event is missing', async () => {
    await (await fill(5)).close();
    await tamper((database) => database.write((batch) => batch.del(eventKey(3)), true));
    const log = (await openStore(folder)).namespace('things').log as EventLog;
    expect(await log.read(Thing.kind, 0, 5)).toMatchObject({ through: 2 });
    await expect(log.read(Thing.kind, 2, 5)).rejects.toThrow('event 3 is missing');
    await expect(log.last(Thing.kind, 5, 5)).rejects.toThrow('event 3 is missing');
  });

  it('P5: is refused at opening when its beginning or end is missing', async () => {
    for (const position of [1, 5]) {
      folder = await temporaryFolder();
      await (await fill(5)).close();
      await tamper((database) => database.write((batch) => batch.del(eventKey(position)), true));
      await expect(openStore(folder)).rejects.toThrow('should hold the events 1 to 5');
    }
  });
});
