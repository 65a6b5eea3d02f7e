import {
  isAlreadyExists,
  isClosed,
  isConflict,
  isInvalidArgument,
  isNotFound,
  isOwnerConflict,
  isPendingFinalizers,
  isPhaseConflict,
  isVersionConflict,
  label,
  type Resource,
  Timestamp,
} from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { InMemoryState } from './in-memory-state.js';
import { inspect } from './internal.js';
import { Disk, disk, labelled, Network, stored } from './testing/disks.js';

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('the call should have been rejected'),
    (error) => error,
  );
}

describe('the namespaces of an in-memory state', () => {
  it('S15: without a name it holds all', async () => {
    const state = new InMemoryState();
    await state.create(disk('a'));
    await state.create(disk('a', { namespace: 'other' }, 2));
    expect(Disk.from(await state.get(Disk.at('a'))).spec.size).toBe(1);
    expect(Disk.from(await state.get(Disk.at('a', 'other'))).spec.size).toBe(2);
    expect(await state.list(Disk.in('other'))).toHaveLength(1);
  });

  it('S15: with a name it holds that one, and refuses what concerns others', async () => {
    const state = new InMemoryState('test', { history: { maxEvents: 5 } });
    await state.create(disk('a'));
    const other = Disk.in('other');
    for (const call of [
      state.get(Disk.at('a', 'other')),
      state.list(other),
      state.create(disk('a', { namespace: 'other' })),
      state.update(stored(disk('a', { namespace: 'other' }))),
      state.destroy(Disk.at('a', 'other')),
      state.watch(Disk.at('a', 'other')),
      state.watchKind(other),
      state.watchKindAggregated(other),
    ]) {
      expect(isInvalidArgument(await failure(call))).toBe(true);
    }
  });

  it('takes options as its only argument too', async () => {
    const clock = new VirtualClock(new Timestamp(77, 0));
    const created = await new InMemoryState({ clock }).create(disk('a'));
    expect(created.metadata.created).toEqual(new Timestamp(77, 0));
    expect(() => new InMemoryState({ history: { maxEvents: 0 } })).toThrow(RangeError);
  });
});

describe('the operations of an in-memory state', () => {
  it('R8: gives one frozen snapshot to all readers', async () => {
    const state = new InMemoryState();
    const created = await state.create(disk('a'));
    expect(await state.get(Disk.at('a'))).toBe(created);
    const listed = await state.list(Disk.kind);
    expect(listed[0]).toBe(created);
    expect(await state.list(Disk.kind)).toBe(listed);
    expect(() => (listed as Resource[]).push(created)).toThrow(TypeError);
    expect(() => Object.assign(created.metadata, { version: 7n })).toThrow(TypeError);
  });

  it('R8: a list stays as it was when the state changes', async () => {
    const state = new InMemoryState();
    const first = await state.create(disk('b'));
    const before = await state.list(Disk.kind);
    const second = await state.update(first);
    await state.create(disk('a'));
    expect(before).toEqual([first]);
    expect((await state.list(Disk.kind)).map(({ metadata }) => metadata.id)).toEqual(['a', 'b']);
    expect((await state.list(Disk.kind))[1]).toBe(second);
  });

  it('S3: lists what matches labels and id, and nothing of a kind that is not there', async () => {
    const state = new InMemoryState();
    for (const id of ['a1', 'b1', 'a2'])
      await state.create(disk(id, { labels: { tier: id.endsWith('1') ? 'web' : 'db' } }));
    const ids = (resources: readonly Resource[]) => resources.map(({ metadata }) => metadata.id);
    expect(ids(await state.list(Disk.kind, { labels: [label('tier').is('web')], id: '^a' }))).toEqual(['a1']);
    expect(ids(await state.list(Disk.kind, { id: '^a' }))).toEqual(['a1', 'a2']);
    expect(ids(await state.list(Disk.kind, { labels: [[label('tier').is('web')], []] }))).toEqual(['a1', 'a2', 'b1']);
    expect(await state.list(Network.kind)).toEqual([]);
    expect(isInvalidArgument(await failure(state.list(Network.kind, { id: '(' })))).toBe(true);
  });

  it('S5: checks an update in the order of the rule', async () => {
    const state = new InMemoryState();
    const absent = stored(disk('a', { owner: 'x' }), 9n);
    expect(isNotFound(await failure(state.update(absent, { owner: 'y' })))).toBe(true);
    const created = await state.create(disk('a', { phase: 'tearingDown' }), { owner: 'x' });
    const wrong = created.withMetadata(created.metadata.with({ version: 9n }));
    expect(isOwnerConflict(await failure(state.update(wrong, { owner: 'y' })))).toBe(true);
    expect(isVersionConflict(await failure(state.update(wrong, { owner: 'x' })))).toBe(true);
    expect(isPhaseConflict(await failure(state.update(created, { owner: 'x' })))).toBe(true);
    const updated = await state.update(created, { owner: 'x', expectedPhase: 'any' });
    expect(updated.metadata.version).toBe(2n);
    expect(await state.get(Disk.at('a'))).toBe(updated);
  });

  it('S4: refuses another owner in the metadata without calling it a conflict', async () => {
    const state = new InMemoryState();
    for (const owner of ['y', '', undefined]) {
      const error = await failure(state.create(disk('a', { owner: 'x' }), { owner }));
      expect([isInvalidArgument(error), isConflict(error)]).toEqual([true, false]);
    }
    expect((await state.create(disk('a', { owner: 'x' }), { owner: 'x' })).metadata.owner).toBe('x');
    expect(isAlreadyExists(await failure(state.create(disk('a'))))).toBe(true);
  });

  it('S6: checks a destroy in the order of the rule', async () => {
    const state = new InMemoryState();
    expect(isNotFound(await failure(state.destroy(Disk.at('a'), { owner: 'y' })))).toBe(true);
    const created = await state.create(disk('a', { finalizers: ['f', 'g'] }), { owner: 'x' });
    expect(isOwnerConflict(await failure(state.destroy(Disk.at('a'))))).toBe(true);
    const pending = await failure(state.destroy(Disk.at('a'), { owner: 'x' }));
    expect(isPendingFinalizers(pending)).toBe(true);
    expect(pending).toMatchObject({ finalizers: ['f', 'g'] });
    await state.update(created.withMetadata(created.metadata.with({ finalizers: [] })), { owner: 'x' });
    await state.destroy(Disk.at('a'), { owner: 'x' });
    expect(isNotFound(await failure(state.get(Disk.at('a'))))).toBe(true);
  });

  it('R3: names a phase that is none', async () => {
    const state = new InMemoryState();
    const created = await state.create(disk('a'));
    const error = await failure(state.update(created, { expectedPhase: 'asleep' as never }));
    expect(isInvalidArgument(error)).toBe(true);
    expect((error as Error).message).toContain('asleep');
  });

  it('R1: the times of a state are strictly increasing, whatever is written', async () => {
    const state = new InMemoryState({ clock: new VirtualClock() });
    const times: Timestamp[] = [];
    for (const id of ['a', 'b', 'c']) {
      const created = await state.create(disk(id));
      expect(created.metadata.created).toBe(created.metadata.updated);
      const updated = await state.update(created);
      expect(updated.metadata.created).toBe(created.metadata.created);
      times.push(created.metadata.updated, updated.metadata.updated);
    }
    for (const [i, time] of times.slice(1).entries()) expect(time.compare(times[i] as Timestamp)).toBe(1);
  });

  it('takes effect in the order of the calls, before they are awaited', async () => {
    const state = new InMemoryState();
    const created = state.create(disk('a'));
    const read = state.get(Disk.at('a'));
    const destroyed = state.destroy(Disk.at('a'));
    const again = state.create(disk('a', {}, 2));
    expect(await read).toBe(await created);
    await destroyed;
    expect(await state.get(Disk.at('a'))).toBe(await again);
  });

  it('rejects, and does not throw, on what is no resource', async () => {
    const state = new InMemoryState();
    expect(await failure(state.create(undefined as never))).toBeInstanceOf(TypeError);
    expect(await failure(state.update({ metadata: created } as never))).toBeInstanceOf(TypeError);
    expect(await failure(state.get(undefined as never))).toBeInstanceOf(TypeError);
  });
});

const created = stored(disk('a')).metadata;

describe('aborting and closing an in-memory state', () => {
  it('S1: an aborted call rejects with the reason and has no effect', async () => {
    const state = new InMemoryState();
    const present = await state.create(disk('a'));
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    for (const call of [
      state.get(Disk.at('a'), { signal }),
      state.list(Disk.kind, { signal }),
      state.create(disk('b'), { signal }),
      state.update(present, { signal }),
      state.destroy(Disk.at('a'), { signal }),
      state.watch(Disk.at('a'), { signal }),
      state.watchKind(Disk.kind, { signal }),
      state.watchKindAggregated(Disk.kind, { signal }),
    ]) {
      expect(await failure(call)).toBe(reason);
    }
    expect(await state.list(Disk.kind)).toEqual([present]);
    expect(inspect(state).watches).toBe(0);
  });

  it('ends watches, and rejects later calls as closed', async () => {
    const state = new InMemoryState();
    const present = await state.create(disk('a'));
    const idle = await state.watchKind(Disk.kind);
    const waiting = (await state.watchKindAggregated(Disk.kind)).next();
    const unread = await state.watch(Disk.at('a'));
    await state.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    for (const watch of [idle, unread]) expect((await watch.next()).done).toBe(true);
    expect(inspect(state)).toMatchObject({ watches: 0, sleepers: 0 });
    for (const call of [
      state.get(Disk.at('a')),
      state.list(Disk.kind),
      state.create(disk('b')),
      state.update(present),
      state.destroy(Disk.at('a')),
      state.watch(Disk.at('a')),
      state.watchKind(Disk.kind),
    ]) {
      expect(isClosed(await failure(call))).toBe(true);
    }
    await state.close();
  });

  it('is closed at the end of a scope', async () => {
    const state = new InMemoryState();
    {
      await using scoped = state;
      await scoped.create(disk('a'));
    }
    expect(isClosed(await failure(state.get(Disk.at('a'))))).toBe(true);
  });

  it('holds nothing for kinds that were only asked for', async () => {
    const state = new InMemoryState();
    await failure(state.get(Disk.at('a')));
    await state.list(Disk.kind);
    const watch = await state.watchKind(Disk.kind);
    expect(inspect(state).kinds).toBe(1);
    await watch.close();
    expect(inspect(state).kinds).toBe(0);
    await state.create(labelled(disk('a'), { x: '1' }));
    const other = await state.watchKind(Disk.kind);
    await other.close();
    expect(inspect(state).kinds).toBe(1);
  });
});
