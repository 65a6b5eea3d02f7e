import {
  isInvalidArgument,
  isInvalidBookmark,
  isNotFound,
  isOverrun,
  isTombstone,
  label,
  type OverrunError,
} from '@cosi-ts/resource';
import type { Bookmark, Event } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { InMemoryState } from './in-memory-state.js';
import { inspect } from './internal.js';
import { Disk, disk, labelled, Network } from './testing/disks.js';
import { bookmark, take, text, touch } from './testing/watch-reading.js';

const small = { history: { maxEvents: 4 } };

describe('the events of a watch', () => {
  it('W12: are the same objects for all watchers, in the same arrays', async () => {
    const state = new InMemoryState();
    const watches = await Promise.all([1, 2, 3].map(() => state.watchKindAggregated(Disk.kind)));
    const waiting = watches.map((watch) => watch.next());
    await touch(state, await state.create(disk('a')), 3);
    const batches = await Promise.all(waiting);
    expect(batches[0]?.value?.map(text)).toEqual(['created a@1', 'updated a@2', 'updated a@3', 'updated a@4']);
    for (const batch of batches) expect(batch.value).toBe(batches[0]?.value);
    expect(Object.isFrozen(batches[0]?.value)).toBe(true);
  });

  it('R8: each reader of a bookmark gets bytes of its own', async () => {
    const state = new InMemoryState();
    const watch = await state.watchKind(Disk.kind);
    await state.create(disk('a'));
    const [event] = await take(watch, 1);
    const before = bookmark(event);
    const copy = { ...event } as Event;
    bookmark(event).fill(0);
    expect(bookmark(event)).toEqual(before);
    expect(bookmark(copy)).toEqual(before);
    expect(() => Object.assign(event as object, { type: 'noop' })).toThrow(TypeError);
  });

  it('W6: what was written in one go comes in one array, to who waits and to who comes later', async () => {
    const state = new InMemoryState();
    const early = await state.watchKindAggregated(Disk.kind);
    const late = await state.watchKindAggregated(Disk.kind);
    const waiting = early.next();
    await Promise.all([1, 2, 3].map((id) => state.create(disk(`${id}`))));
    expect((await waiting).value?.map(text)).toEqual(['created 1@1', 'created 2@1', 'created 3@1']);
    expect((await late.next()).value?.map(text)).toEqual(['created 1@1', 'created 2@1', 'created 3@1']);
  });

  it('W5, W6: the whole bootstrap is one array, and the noop another', async () => {
    const state = new InMemoryState();
    for (const id of ['b', 'a']) await state.create(disk(id));
    const options = { bootstrapContents: true, bootstrapBookmark: true };
    const watch = await state.watchKindAggregated(Disk.kind, options);
    await state.create(disk('c'));
    const batches = await take(watch, 3);
    expect(batches.map((batch) => batch.map(text))).toEqual([
      ['created a@1', 'created b@1', 'bootstrapped'],
      ['noop'],
      ['created c@1'],
    ]);
    const [bootstrap, noop] = batches;
    expect(bootstrap?.[0]).not.toHaveProperty('bookmark');
    expect(bookmark(bootstrap?.[2])).toEqual(bookmark(noop?.[0]));
  });

  it('W4: a watch of one resource begins with the present', async () => {
    const state = new InMemoryState();
    const absent = await state.watch(Disk.at('a'));
    await state.create(disk('a'));
    const present = await state.watch(Disk.at('a'));
    const [first, second] = await take(absent, 2);
    expect([text(first), text(second)]).toEqual(['destroyed a@undefined', 'created a@1']);
    expect(first?.type === 'destroyed' && isTombstone(first.resource)).toBe(true);
    expect((await take(present, 1)).map(text)).toEqual(['created a@1']);
  });

  it('W1: what a watch begins with is fixed at the call, not at the first read', async () => {
    const state = new InMemoryState();
    const created = await state.create(disk('a'));
    const kind = await state.watchKind(Disk.kind, { bootstrapContents: true });
    const one = await state.watch(Disk.at('a'));
    const tail = await state.watchKind(Disk.kind, { tailEvents: 1 });
    await state.update(created);
    expect((await take(kind, 3)).map(text)).toEqual(['created a@1', 'bootstrapped', 'updated a@2']);
    expect((await take(one, 2)).map(text)).toEqual(['created a@1', 'updated a@2']);
    expect((await take(tail, 2)).map(text)).toEqual(['created a@1', 'updated a@2']);
  });

  it('W11: queries translate what begins and stops to match', async () => {
    const state = new InMemoryState();
    const watch = await state.watchKind(Disk.kind, { labels: [label('tier').is('web')] });
    const a = await state.create(disk('a', { labels: { tier: 'db' } }));
    const b = await state.update(labelled(a, { tier: 'web' }));
    const c = await state.update(labelled(b, { tier: 'web', x: '1' }));
    const d = await state.update(labelled(c, { tier: 'db' }));
    await state.update(labelled(d, { tier: 'web' }));
    await state.destroy(Disk.at('a'));
    const events = await take(watch, 5);
    expect(events.map(text)).toEqual(['created a@2', 'updated a@3', 'destroyed a@4', 'created a@5', 'destroyed a@5']);
    expect(events.map((event) => 'old' in event)).toEqual([false, true, false, false, false]);
    expect(events[2]).toMatchObject({ resource: d });
  });
});

describe('positions and bookmarks', () => {
  it('W8: a watch from any bookmark gives exactly what came after it', async () => {
    const state = new InMemoryState();
    const all = await state.watchKind(Disk.kind);
    await touch(state, await state.create(disk('a')), 2);
    await state.create(disk('b'));
    await state.destroy(Disk.at('a'));
    const events = await take(all, 5);
    for (const [i, event] of events.entries()) {
      const rest = events.slice(i + 1);
      const kind = await state.watchKind(Disk.kind, { startFromBookmark: bookmark(event) });
      expect(await take(kind, rest.length)).toEqual(rest);
      const one = await state.watch(Disk.at('a'), { startFromBookmark: bookmark(event) });
      const own = rest.filter((each) => text(each).includes(' a@'));
      expect(await take(one, own.length)).toEqual(own);
    }
  });

  it('W9: positions count for the whole state, so that a bookmark means the same for every kind', async () => {
    const state = new InMemoryState();
    const disks = await state.watchKind(Disk.kind);
    await state.create(Network.new('n', { size: 1 }));
    await state.create(disk('a'));
    await state.create(Network.new('m', { size: 1 }));
    const [created] = await take(disks, 1);
    const networks = await state.watchKind(Network.kind, { startFromBookmark: bookmark(created) });
    expect((await take(networks, 1)).map(text)).toEqual(['created m@1']);
  });

  it('W9: refuses bookmarks of others, malformed ones, and those that lie in the future or before what is kept', async () => {
    const state = new InMemoryState(small);
    const watch = await state.watchKind(Disk.kind, { bootstrapBookmark: true });
    const start = bookmark((await take(watch, 1))[0]);
    const last = await touch(state, await state.create(disk('a')), 4);
    const kept = await state.watchKind(Disk.kind, { bootstrapBookmark: true });
    const newest = bookmark((await take(kept, 1))[0]);
    const future = newest.slice();
    future[15] = (future[15] as number) + 1;
    const foreign = newest.slice();
    foreign[0] = (foreign[0] as number) ^ 1;
    const refused = async (startFromBookmark: Bookmark) => {
      for (const call of [
        state.watchKind(Disk.kind, { startFromBookmark }),
        state.watchKindAggregated(Disk.kind, { startFromBookmark }),
        state.watch(Disk.at('a'), { startFromBookmark }),
      ]) {
        await expect(call).rejects.toSatisfy(isInvalidBookmark);
      }
    };
    for (const bad of [future, foreign, newest.subarray(1), new Uint8Array(0), start]) await refused(bad);
    const resumed = await state.watchKind(Disk.kind, { startFromBookmark: newest });
    await state.update(last);
    expect((await take(resumed, 1)).map(text)).toEqual(['updated a@6']);
    const other = await state.watchKind(Network.kind, { startFromBookmark: start });
    await other.close();
    expect(inspect(state).watches).toBe(3);
  });

  it('W7: tail events are the last of the kind, then filtered, and the noop before them has the position before', async () => {
    const state = new InMemoryState(small);
    await touch(state, await state.create(disk('a', { labels: { x: '1' } })), 2);
    await touch(state, await state.create(disk('b')), 2);
    const noop = { tailEvents: 3, bootstrapBookmark: true };
    const all = await state.watchKind(Disk.kind, noop);
    const events = await take(all, 4);
    expect(events.map(text)).toEqual(['noop', 'created b@1', 'updated b@2', 'updated b@3']);
    const again = await state.watchKind(Disk.kind, { startFromBookmark: bookmark(events[0]) });
    expect(await take(again, 3)).toEqual(events.slice(1));
    const many = await state.watchKindAggregated(Disk.kind, { tailEvents: 100 });
    expect((await take(many, 1))[0]?.map(text)).toEqual(['updated a@3', 'created b@1', 'updated b@2', 'updated b@3']);
    const filtered = await state.watchKind(Disk.kind, { tailEvents: 4, labels: [label('x').exists()] });
    expect((await take(filtered, 1)).map(text)).toEqual(['updated a@3']);
    const one = await state.watch(Disk.at('b'), { tailEvents: 2 });
    expect((await take(one, 2)).map(text)).toEqual(['updated b@2', 'updated b@3']);
  });

  it('W7: a tail that was asked for is given also when the history moves on before it is read', async () => {
    const state = new InMemoryState(small);
    const last = await touch(state, await state.create(disk('a')), 5);
    const kind = await state.watchKind(Disk.kind, { tailEvents: 4 });
    const one = await state.watch(Disk.at('a'), { tailEvents: 4 });
    await touch(state, last, 2);
    const texts = ['updated a@3', 'updated a@4', 'updated a@5', 'updated a@6', 'updated a@7', 'updated a@8'];
    expect((await take(kind, 6)).map(text)).toEqual(texts);
    expect((await take(one, 6)).map(text)).toEqual(texts);
  });

  it.each([
    [{ tailEvents: 1, startFromBookmark: new Uint8Array(16) }],
    [{ tailEvents: 1, bootstrapContents: true }],
    [{ bootstrapContents: true, startFromBookmark: new Uint8Array(16) }],
    [{ tailEvents: Number.NaN }],
    [{ id: '(' }],
    [{ labels: [null] as never }],
  ])('W1, W7: refuses %o, and leaves nothing behind', async (options) => {
    const state = new InMemoryState();
    await expect(state.watchKind(Disk.kind, options)).rejects.toSatisfy(isInvalidArgument);
    await expect(state.watchKindAggregated(Disk.kind, options)).rejects.toSatisfy(isInvalidArgument);
    expect(inspect(state)).toEqual({ watches: 0, sleepers: 0, kinds: 0 });
  });
});

describe('watchers that fall behind', () => {
  it('W12: get an overrun that says how far, and writers and others go on', async () => {
    const state = new InMemoryState(small);
    const slow = await state.watchKind(Disk.kind);
    const slowArrays = await state.watchKindAggregated(Disk.kind, { labels: [label('x').exists()] });
    const slowOne = await state.watch(Disk.at('a'));
    await take(slowOne, 1);
    const quick = await state.watchKind(Disk.kind);
    let last = await state.create(disk('a'));
    expect((await take(quick, 1)).map(text)).toEqual(['created a@1']);
    for (let i = 0; i < 9; i++) {
      last = await state.update(last);
      expect((await take(quick, 1)).map(text)).toEqual([`updated a@${i + 2}`]);
    }
    const [errored] = await take(slow, 1);
    if (errored?.type !== 'errored') expect.fail(`not an error: ${text(errored)}`);
    expect(isOverrun(errored.error)).toBe(true);
    expect(errored.error as OverrunError).toMatchObject({
      subject: { namespace: 'test', type: Disk.type },
      position: 0n,
      writePosition: 10n,
      capacity: 4,
    });
    expect(errored.error.message).toMatch(/^buffer overrun: namespace "test" type "Disks\.test\.cosi\.dev"/);
    expect(errored).not.toHaveProperty('bookmark');
    expect((await slow.next()).done).toBe(true);
    expect((await take(slowArrays, 1)).map((batch) => batch.map(text))).toEqual([['errored']]);
    expect((await take(slowOne, 1)).map(text)).toEqual(['errored']);
    expect(inspect(state)).toMatchObject({ watches: 1 });
  });

  it('W12: who waits is not overrun by what is written in one go, however much it is', async () => {
    const state = new InMemoryState(small);
    const kind = await state.watchKindAggregated(Disk.kind);
    const one = await state.watch(Disk.at('disk-7'));
    await take(one, 1);
    const waiting = [kind.next(), one.next()] as const;
    await Promise.all(Array.from({ length: 5000 }, (_, i) => state.create(disk(`disk-${i}`))));
    expect((await waiting[0]).value).toHaveLength(5000);
    expect(text((await waiting[1]).value)).toBe('created disk-7@1');
  });

  it('W12: a reader keeps up with a writer that awaits each of its writes', async () => {
    const state = new InMemoryState({ history: { maxEvents: 600 } });
    const watch = await state.watchKind(Disk.kind);
    const reading = take(watch, 5001);
    await touch(state, await state.create(disk('a')), 5000);
    expect((await reading).map(text).filter((each) => each === 'errored')).toEqual([]);
  });

  it('W12: a watcher of one resource is not overrun by changes of others', async () => {
    const state = new InMemoryState(small);
    const a = await state.create(disk('a'));
    const watch = await state.watch(Disk.at('a'));
    const fresh = await state.watch(Disk.at('new'));
    await take(watch, 1);
    await take(fresh, 1);
    await touch(state, await state.create(disk('b')), 20);
    await state.update(a);
    await state.create(disk('new'));
    expect((await take(watch, 1)).map(text)).toEqual(['updated a@2']);
    await state.destroy(Disk.at('new'));
    await state.create(disk('new'));
    expect((await take(fresh, 3)).map(text)).toEqual(['created new@1', 'destroyed new@1', 'created new@1']);
  });

  it('W12: the bytes of large resources bound the history too', async () => {
    const state = new InMemoryState({ history: { maxBytes: 100_000 } });
    const slow = await state.watchKind(Disk.kind);
    const text = 'x'.repeat(30_000);
    for (const id of ['a', 'b', 'c', 'd']) await state.create(disk(id, { annotations: { text } }));
    expect((await take(slow, 1))[0]?.type).toBe('errored');
    const tail = await state.watchKindAggregated(Disk.kind, { tailEvents: 10 });
    expect((await take(tail, 1))[0]).toHaveLength(3);
  });
});

describe('the end of a watch', () => {
  it('W2: leaving the loop, closing, disposing and aborting each free everything', async () => {
    const state = new InMemoryState();
    await state.create(disk('a'));
    const controller = new AbortController();
    for await (const _ of await state.watch(Disk.at('a'))) break;
    const closed = await state.watchKind(Disk.kind);
    await closed.close();
    {
      await using disposed = await state.watchKindAggregated(Disk.kind, { bootstrapContents: true });
      await disposed.next();
    }
    const { signal } = controller;
    const aborted = [
      await state.watchKind(Disk.kind, { signal }),
      await state.watchKindAggregated(Disk.kind, { signal }),
      await state.watch(Disk.at('a'), { signal, tailEvents: 1 }),
      await state.watch(Disk.at('b'), { signal }),
    ];
    const waiting = aborted[0]?.next();
    expect(inspect(state)).toMatchObject({ watches: 4, sleepers: 1 });
    controller.abort();
    expect((await waiting)?.done).toBe(true);
    for (const watch of aborted) expect((await watch.next()).done).toBe(true);
    expect(inspect(state)).toMatchObject({ watches: 0, sleepers: 0 });
  });

  it('W14: a watcher that is not read keeps none waiting', async () => {
    const state = new InMemoryState();
    const idle = await Promise.all(Array.from({ length: 50 }, () => state.watchKind(Disk.kind)));
    const watch = await state.watchKind(Disk.kind);
    await touch(state, await state.create(disk('a')), 10);
    expect(await take(watch, 11)).toHaveLength(11);
    await Promise.all(idle.map((each) => each.close()));
  });

  it('W12: watchers that left are not counted among those that events are kept for', async () => {
    const state = new InMemoryState(small);
    const waiting = await state.watchKind(Disk.kind);
    const next = waiting.next();
    await waiting.close();
    await next;
    await touch(state, await state.create(disk('a')), 20);
    const tail = await state.watchKindAggregated(Disk.kind, { tailEvents: 100 });
    expect((await take(tail, 1))[0]).toHaveLength(4);
    await expect(state.get(Disk.at('b'))).rejects.toSatisfy(isNotFound);
  });
});
