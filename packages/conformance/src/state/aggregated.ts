import { label } from '@cosi-ts/resource';
import { check, equal } from '../assertions.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';

export function aggregatedTests({ it, itKeeping, features }: StateSuite): void {
  it('W6: the whole bootstrap comes in one array, bootstrapped last', async (t) => {
    for (const id of ['c', 'a', 'b']) await t.create(id);
    const reader = await t.watchKindAggregated({ bootstrapContents: true });
    const batch = await reader.nextBatch();
    equal(batch.map(eventText), ['created a@1', 'created b@1', 'created c@1', 'bootstrapped'], 'the first array');
    await t.quiet(reader);
  });

  it('W6: the bootstrap of an empty kind is an array with bootstrapped', async (t) => {
    const reader = await t.watchKindAggregated({ bootstrapContents: true });
    equal((await reader.nextBatch()).map(eventText), ['bootstrapped'], 'the first array');
  });

  it('W6: the bootstrap comes in one array however large', async (t) => {
    await Promise.all(Array.from({ length: 300 }, (_, i) => t.create(`id-${i}`)));
    const reader = await t.watchKindAggregated({ bootstrapContents: true });
    const batch = await reader.nextBatch();
    equal(batch.length, 301, 'the length of the first array');
    equal(batch.at(-1)?.type, 'bootstrapped', 'its last event');
  });

  if (features.bookmarks) {
    it('W6: noop comes in an array of its own', async (t) => {
      await t.create('a');
      const reader = await t.watchKindAggregated({ bootstrapContents: true, bootstrapBookmark: true });
      equal((await reader.nextBatch()).map(eventText), ['created a@1', 'bootstrapped'], 'the first array');
      equal((await reader.nextBatch()).map(eventText), ['noop'], 'the second array');
      await t.create('b');
      equal((await reader.nextBatch()).map(eventText), ['created b@1'], 'the third array');
    });

    itKeeping(3)(
      'W6: all events that are ready after a start bookmark come in one array, after the noop',
      async (t) => {
        const early = await t.watchKind({ bootstrapBookmark: true });
        const [noop] = await early.expect('noop');
        check(noop?.type === 'noop', 'it must be a noop');
        for (const id of ['a', 'b', 'c']) await t.create(id);
        const startFromBookmark = noop.bookmark;
        const reader = await t.watchKindAggregated({ startFromBookmark, bootstrapBookmark: true, lazy: true });
        equal((await reader.nextBatch()).map(eventText), ['noop'], 'the first array');
        equal(
          (await reader.nextBatch()).map(eventText),
          ['created a@1', 'created b@1', 'created c@1'],
          'the second array',
        );
      },
    );
  }

  if (features.tailEvents) {
    itKeeping(3)('W6: the tail comes in one array', async (t) => {
      for (const id of ['a', 'b', 'c']) await t.create(id);
      const reader = await t.watchKindAggregated({ tailEvents: 3, lazy: true });
      equal(
        (await reader.nextBatch()).map(eventText),
        ['created a@1', 'created b@1', 'created c@1'],
        'the first array',
      );
    });
  }

  if (features.labelQueries) {
    it('W6: no array is empty, also when nothing in it would match', async (t) => {
      const reader = await t.watchKindAggregated({ labels: [label('tier').is('web')] });
      for (let i = 0; i < 5; i++) {
        await t.create(`db-${i}`, 1, { labels: { tier: 'db' } });
        await t.create(`web-${i}`, 1, { labels: { tier: 'web' } });
        const batch = await reader.nextBatch();
        equal(batch.map(eventText), [`created web-${i}@1`], 'the array');
      }
    });
  }

  it('W6: both forms give the same events', async (t) => {
    await t.create('a');
    const single = await t.watchKind({ bootstrapContents: true });
    const aggregated = await t.watchKindAggregated({ bootstrapContents: true });
    await t.setValue(await t.core.get(t.at('a')), 2);
    await t.create('b');
    await t.core.destroy(t.at('a'));
    const marker = await t.mark();
    const events = await single.until(marker);
    equal((await aggregated.until(marker)).map(eventText), events.map(eventText), 'the events of both');
  });
}
