import assert from 'node:assert/strict';
import { orders, seenAlike } from './resources.js';
import { type PlainEvent, type PlainResource, type PlainWatch, type Side, SideError, textOf } from './side.js';
import type { Scenario, Stage } from './stage.js';

const at = (id: string) => ({ ...orders, id });
const order = (id: string, quantity = 0) => ({ ...at(id), spec: { quantity } });

/** Three lives and six changes, made by both sides. */
async function change({ first, second }: Stage): Promise<void> {
  await first.create(order('a', 1));
  await second.create(order('b', 1));
  await second.change(at('a'), { spec: { quantity: 2 } });
  await first.change(at('b'), { labels: { by: first.name } });
  await second.destroy(at('b'));
  await first.create(order('c', 1));
}

const changes = ['created a@1', 'created b@1', 'updated a@2', 'updated b@2', 'destroyed b@2', 'created c@1'];

/** Tombstones have times of their moment, and Go's client gives them an empty spec. */
const pointer = ({ namespace, type, id, phase }: PlainResource) => ({ namespace, type, id, phase });

/** What both sides must see alike in an event. */
function eventContent({ type, resource, old, bookmark }: PlainEvent): unknown {
  const seen = (part: PlainResource | undefined) =>
    part && (part.version === 'undefined' ? pointer(part) : seenAlike(part));
  return { type, resource: seen(resource), old: seen(old), bookmark };
}

/** Both watch the same; both must see these events, with the same in them. */
async function bothSee(stage: Stage, watched: PlainWatch, act: () => Promise<void>, texts: readonly string[]) {
  const readers = await Promise.all(stage.both.map((side) => stage.watch(side, watched)));
  await act();
  const [byGo, byUs] = await Promise.all(readers.map((reader) => reader.take(texts.length)));
  assert.deepEqual(byGo?.map(textOf), texts);
  assert.deepEqual(byUs?.map(eventContent), byGo?.map(eventContent));
  return byUs as PlainEvent[];
}

/** The bookmark of an event, which must have one. */
function bookmarkOf(event: PlainEvent | undefined): string {
  assert.ok(event?.bookmark, `${event?.type} must have a bookmark`);
  return event.bookmark;
}

async function refusedBy(side: Side, watched: PlainWatch): Promise<readonly string[]> {
  try {
    const watch = await side.watch(watched);
    await watch.close();
  } catch (error) {
    if (error instanceof SideError) return error.is;
    throw error;
  }
  return ['accepted'];
}

export const watchScenarios: readonly Scenario[] = [
  ...[false, true].flatMap((aggregated): readonly Scenario[] => {
    const form = aggregated ? 'aggregated watches' : 'watches';
    return [
      [
        `${form} of a kind show the same to both`,
        async (stage) => {
          const events = await bothSee(stage, { ...orders, aggregated }, () => change(stage), changes);
          for (const event of events) bookmarkOf(event);
          assert.deepEqual(
            events.map(({ old }) => old?.version),
            [undefined, undefined, '1', '1', undefined, undefined],
          );
        },
      ],
      [
        `${form} of a kind begin with its contents and a bookmark`,
        async (stage) => {
          await change(stage);
          const watched = { ...orders, aggregated, bootstrapContents: true, bootstrapBookmark: true };
          const texts = ['created a@2', 'created c@1', 'bootstrapped', 'noop'];
          const events = await bothSee(stage, watched, async () => undefined, texts);
          assert.deepEqual([events[0]?.bookmark, events[1]?.bookmark], [undefined, undefined]);
          const resumed = { ...orders, aggregated, startFromBookmark: bookmarkOf(events[3]) };
          await bothSee(stage, resumed, () => stage.first.destroy(at('c')), ['destroyed c@1']);
        },
      ],
      [
        `${form} of a kind begin with a tail`,
        async (stage) => {
          await change(stage);
          await bothSee(stage, { ...orders, aggregated, tailEvents: 4 }, async () => undefined, changes.slice(2));
        },
      ],
      [
        `the bookmarks that one side got from ${form} resume the other's`,
        async (stage) => {
          const { first, second } = stage;
          const reader = await stage.watch(first, { ...orders, aggregated });
          await change(stage);
          const events = await reader.take(changes.length);
          for (const [i, event] of events.entries()) {
            const from = { ...orders, aggregated, startFromBookmark: bookmarkOf(event) };
            const resumed = await stage.watch(second, from);
            assert.deepEqual((await resumed.take(changes.length - i - 1)).map(textOf), changes.slice(i + 1));
            await resumed.close();
          }
        },
      ],
    ];
  }),
  [
    'watches of one resource show the same to both',
    async (stage) => {
      const { first, second } = stage;
      const readers = await Promise.all(stage.both.map((side) => stage.watch(side, at('a'))));
      for (const reader of readers) assert.equal(textOf(await reader.next()), 'destroyed a@undefined');
      await first.create(order('a'));
      await second.create(order('b'));
      await second.change(at('a'), { spec: { quantity: 7 } });
      await first.destroy(at('a'));
      const seen = await Promise.all(readers.map((reader) => reader.take(3)));
      assert.deepEqual(seen[0]?.map(textOf), ['created a@1', 'updated a@2', 'destroyed a@2']);
      assert.deepEqual(seen[0]?.map(eventContent), seen[1]?.map(eventContent));
      const bookmark = bookmarkOf(seen[0]?.[0]);
      for (const side of stage.both) {
        const resumed = await stage.watch(side, { ...at('a'), startFromBookmark: bookmark });
        assert.deepEqual((await resumed.take(2)).map(textOf), ['updated a@2', 'destroyed a@2']);
      }
    },
  ],
  [
    'bookmarks that mean nothing are refused alike',
    async (stage) => {
      const reader = await stage.watch(stage.first, orders);
      await stage.second.create(order('a'));
      const good = Buffer.from(bookmarkOf(await reader.next()), 'base64');
      const strange = Buffer.from(good.map((byte, i) => (i < 8 ? byte ^ 0xff : byte)));
      for (const bad of [Buffer.alloc(3), Buffer.alloc(16), good.subarray(1), strange]) {
        const startFromBookmark = bad.toString('base64');
        for (const side of stage.both) {
          for (const watched of [orders, { ...orders, aggregated: true }, at('a')]) {
            const is = await refusedBy(side, { ...watched, startFromBookmark });
            assert.deepEqual(is, ['invalid-bookmark'], `${startFromBookmark}, asked by ${side.name}`);
          }
        }
      }
    },
  ],
  [
    'a watch that nobody reads for long loses nothing of what is kept',
    async (stage) => {
      const readers = await Promise.all(stage.both.map((side) => stage.watch(side, { ...orders, aggregated: true })));
      await stage.first.create(order('a'));
      await stage.second.count(at('a'), 80);
      for (const reader of readers) {
        const versions = (await reader.take(81)).map(({ resource }) => Number(resource?.version));
        assert.deepEqual(
          versions,
          versions.map((_, i) => i + 1),
        );
      }
    },
  ],
];
