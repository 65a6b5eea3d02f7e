import type { Pointer, Resource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { equal, refusesChange, rejectsWith, sameMetadata, sameResource, sameResources } from '../assertions.js';
import type { EventReader } from '../event-reader.js';
import { Items, Others } from '../items.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';
import { bookmarkOf } from './bookmarks.js';

const metadata = { labels: { x: '1' }, annotations: { y: '2' }, finalizers: ['f', 'g'] };

async function rich(t: StateTest, id: string): Promise<Resource> {
  return t.core.create(Items.new(id, { value: 1, note: 'n', nested: { list: [1, 2] } }, metadata));
}

/** Tries everything that would change the snapshot for others. */
function cannotBeChanged(resource: Resource, what: string): void {
  const loose = resource as unknown as { metadata: Record<string, unknown>; content: unknown };
  const data = loose.metadata as Record<string, Record<string, unknown>>;
  refusesChange(() => {
    loose.metadata = {};
  }, `the metadata of ${what}`);
  refusesChange(() => {
    loose.content = {};
  }, `the content of ${what}`);
  for (const field of ['version', 'phase', 'owner', 'updated', 'labels']) {
    refusesChange(() => {
      loose.metadata[field] = 'other';
    }, `${field} of ${what}`);
  }
  for (const field of ['labels', 'annotations'] as const) {
    refusesChange(() => {
      (data[field] as Record<string, unknown>).x = 'other';
    }, `an entry of ${field} of ${what}`);
    refusesChange(() => void delete data[field]?.[field === 'labels' ? 'x' : 'y'], `an entry of ${field} of ${what}`);
  }
  refusesChange(() => void (data.finalizers as unknown as string[]).push('h'), `the finalizers of ${what}`);
  refusesChange(() => void (data.finalizers as unknown as string[]).pop(), `the finalizers of ${what}`);
  refusesChange(() => {
    (data.created as Record<string, unknown>).seconds = 0;
  }, `created of ${what}`);
  const spec = Items.from(resource).spec as { value: number; note?: string; nested: { list: number[] } };
  refusesChange(() => {
    spec.value = 9;
  }, `the spec of ${what}`);
  refusesChange(() => void delete spec.note, `the spec of ${what}`);
  refusesChange(() => void spec.nested.list.push(3), `a list in the spec of ${what}`);
}

export function snapshotTests({ it, itKeeping, features }: StateSuite): void {
  it('R8: what create, get, list and update give cannot be changed', async (t) => {
    const created = await rich(t, 'a');
    cannotBeChanged(created, 'what create gives');
    cannotBeChanged(await t.core.get(t.at('a')), 'what get gives');
    cannotBeChanged((await t.core.list(t.kind))[0] as Resource, 'what list gives');
    cannotBeChanged(await t.change(created, { annotations: metadata.annotations }), 'what update gives');
  });

  it('R8: what events bring cannot be changed', async (t) => {
    const readers = [await t.watchKind(), await t.watchKindAggregated(), await t.watch(t.at('a'))];
    await readers[2]?.expect('destroyed a@-');
    await t.change(await rich(t, 'a'), { labels: metadata.labels });
    for (const reader of readers) {
      const [created, updated] = await reader.expect('created a@1', 'updated a@2');
      for (const event of [created, updated] as Extract<Event, { resource: Resource }>[]) {
        cannotBeChanged(event.resource, `the resource of "${eventText(event)}"`);
      }
      if (features.oldOnUpdated) cannotBeChanged((updated as { old: Resource }).old, 'the old resource of an update');
    }
  });

  it('R8: a list that its reader rearranges is intact for the others', async (t) => {
    const a = await t.create('a');
    const b = await t.create('b');
    const mine = (await t.core.list(t.kind)) as Resource[];
    try {
      mine.reverse();
      mine.pop();
    } catch (error) {
      equal(error instanceof TypeError, true, 'that a frozen list says so with a TypeError');
    }
    sameResources(await t.core.list(t.kind), [a, b], 'the list of another reader');
    const reader = await t.watchKind({ bootstrapContents: true });
    await reader.expect('created a@1', 'created b@1', 'bootstrapped');
  });

  itKeeping(2)('R8: events and arrays of events that their reader changes are intact for the others', async (t) => {
    const mine = await t.watchKindAggregated({ lazy: true });
    const theirs = [await t.watchKindAggregated({ lazy: true }), await t.watchKind({ lazy: true })];
    await t.create('a');
    await t.create('b');
    const batch = (await mine.nextBatch()) as Event[];
    for (const change of [
      () => {
        (batch[0] as { type: string }).type = 'destroyed';
      },
      () => {
        (batch[0] as { resource?: unknown }).resource = undefined;
      },
      () => void batch.reverse(),
      () => void batch.pop(),
    ]) {
      try {
        change();
      } catch (error) {
        equal(error instanceof TypeError, true, 'that what is frozen says so with a TypeError');
      }
    }
    for (const reader of theirs) await reader.expect('created a@1', 'created b@1');
  });

  if (features.bookmarks) {
    itKeeping(2)('R8: a bookmark that its reader overwrites is intact for the others', async (t) => {
      const readers = [await t.watchKind(), await t.watchKind(), await t.watchKindAggregated()] as const;
      await t.create('a');
      const [mine] = await readers[0].expect('created a@1');
      const before = bookmarkOf(mine).slice();
      bookmarkOf(mine).fill(0);
      await t.create('b');
      for (const reader of [readers[1], readers[2]]) {
        const [theirs] = await reader.expect('created a@1');
        equal(bookmarkOf(theirs), before, 'the bookmark of another reader');
      }
      const resumed = await t.watchKind({ startFromBookmark: before });
      const [next] = await resumed.expect('created b@1');
      bookmarkOf(next).fill(0);
      const again = await t.watchKind({ startFromBookmark: before });
      await again.expect('created b@1');
    });

    itKeeping(2)('R8: a bookmark that its giver overwrites after the call does not move the watch', async (t) => {
      const first = await t.watchKind({ bootstrapBookmark: true });
      const [noop] = await first.expect('noop');
      const bookmark = bookmarkOf(noop).slice();
      await t.create('a');
      const reader = await t.watchKind({ startFromBookmark: bookmark, lazy: true });
      bookmark.fill(0);
      await reader.expect('created a@1');
      await t.quiet(reader);
    });
  }

  it('R8: data that a resource was made from can be changed afterwards', async (t) => {
    const spec = { value: 1, nested: { list: [1] } };
    const labels: Record<string, string> = { x: '1' };
    const finalizers = ['f'];
    const created = await t.core.create(Items.new('a', spec, { labels, finalizers }));
    spec.value = 2;
    spec.nested.list.push(2);
    labels.x = '2';
    finalizers.push('g');
    const stored = await t.core.get(t.at('a'));
    sameMetadata(stored.metadata, created.metadata, 'the metadata');
    equal(Items.from(stored).spec, { value: 1, nested: { list: [1] } }, 'the spec');
    equal([{ ...stored.metadata.labels }, stored.metadata.finalizers], [{ x: '1' }, ['f']], 'labels and finalizers');
  });

  it('R8: a pointer that is changed after the call does not lead it elsewhere', async (t) => {
    const a = await t.create('a', 1);
    const b = await t.create('b', 2);
    const { namespace, type } = t.kind;
    const moved = <T>(call: (pointer: Pointer) => Promise<T>): Promise<T> => {
      const pointer = { namespace, type, id: 'a' };
      const calling = call(pointer);
      Object.assign(pointer, { type: Others.type, id: 'b' });
      return calling;
    };
    sameResource(await moved((pointer) => t.core.get(pointer)), a, 'what get gives');
    sameResources(await moved((pointer) => t.core.list(pointer)), [a, b], 'what list gives');
    await t.reader(await moved((pointer) => t.core.watch(pointer))).expect('created a@1');
    for (const name of ['watchKind', 'watchKindAggregated'] as const) {
      const reader = t.reader(
        await moved<EventReader['watch']>((pointer) => t.core[name](pointer, { bootstrapContents: true })),
      );
      await reader.expect('created a@1', 'created b@1', 'bootstrapped');
    }
    equal(await moved((pointer) => t.state.teardown(pointer)), true, 'what teardown answers');
    await moved((pointer) => t.core.destroy(pointer));
    sameResources(await t.core.list(t.kind), [b], 'what is left');
  });

  it('R8: options that are changed after the call do not change what it does', async (t) => {
    const stored = await t.create('a', 1, { owner: 'me' });
    const given: { owner: string; tailEvents?: number } = { owner: 'me' };
    const updating = t.started(t.core.update(t.withValue(stored, 2), given));
    given.owner = 'you';
    sameResource(await updating, await t.core.get(t.at('a')), 'what update gives');
    const destroying = rejectsWith(t.core.destroy(t.at('a'), given), 'owner-conflict', 'destroy on behalf of another');
    given.owner = 'me';
    await destroying;
    const opening = t.started(t.core.watchKind(t.kind, given));
    given.tailEvents = 1;
    await t.quiet(t.reader(await opening));
  });

  it('R8: a snapshot stays what it was whatever happens to the resource', async (t) => {
    const first = await rich(t, 'a');
    const text = JSON.stringify([first.metadata, Items.from(first).spec]);
    const second = await t.setValue(first, 2);
    await t.change(second, { labels: { z: '9' }, finalizers: [] });
    await t.core.destroy(t.at('a'));
    equal(JSON.stringify([first.metadata, Items.from(first).spec]), text, 'the first snapshot');
  });

  it('R9: reads through a declaration are typed, bare ones are read by any declaration of the type', async (t) => {
    await t.create('a', 5);
    equal((await t.state.get(t.at('a'))).spec.value, 5, 'the value through a declared pointer');
    equal(
      (await t.state.list(Items.kind)).map(({ spec }) => spec.value),
      [5],
      'the values through a declared kind',
    );
    const { namespace, type } = t.kind;
    equal(t.valueOf(await t.state.get({ namespace, type, id: 'a' })), 5, 'the value of a bare resource');
    const typed = await t.state.watchKind(Items.kind, { bootstrapContents: true });
    t.cleanup(() => typed.close());
    const { value } = await t.within(typed.next(), 'the first event');
    equal(value?.type === 'created' ? value.resource.spec.value : undefined, 5, 'the value in an event');
  });
}
