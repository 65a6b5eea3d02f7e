import { label } from '@cosi-ts/resource';
import type { Bookmark, Event } from '@cosi-ts/state';
import { check, equal } from '../assertions.js';
import type { EventReader } from '../event-reader.js';
import { Others } from '../items.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';
import { type KindForm, kindForms } from './kind-forms.js';

export function bookmarkOf(event: Event | undefined): Bookmark {
  check(event !== undefined && event.type !== 'errored', 'there must be an event that can have a bookmark');
  check(event.bookmark instanceof Uint8Array, `"${eventText(event)}" must have a bookmark`);
  return event.bookmark;
}

/** Seven events of the kind, two of them of `b`; gives what a watch saw of them. */
async function history(t: StateTest): Promise<Event[]> {
  const reader = await t.watchKind();
  const a1 = await t.create('a', 1, { labels: { tier: 'web' } });
  await t.create('b', 1, { labels: { tier: 'db' } });
  const a2 = await t.setValue(a1, 2);
  await t.create('c', 1, { labels: { tier: 'web' } });
  const a3 = await t.change(a2, { labels: { tier: 'db' } });
  await t.core.destroy(t.at('b'));
  await t.change(a3, { labels: { tier: 'web' } });
  const texts = ['created a@1', 'created b@1', 'updated a@2', 'created c@1', 'updated a@3', 'destroyed b@1'];
  return reader.expect(...texts, 'updated a@4');
}

export function bookmarkTests(suite: StateSuite): void {
  if (!suite.features.bookmarks) return;
  issuedTests(suite);
  for (const form of kindForms) resumeTests(suite, form);
  resumeOneTests(suite);
}

function issuedTests({ it, features }: StateSuite): void {
  for (const { name, open } of kindForms) {
    it(`W8: every live event of ${name} has a bookmark`, async (t) => {
      const reader = await open(t);
      await t.setValue(await t.create('a'), 2);
      await t.core.destroy(t.at('a'));
      for (const event of await reader.expect('created a@1', 'updated a@2', 'destroyed a@2')) bookmarkOf(event);
    });

    it(`W8: bootstrapped and noop of ${name} have a bookmark, the resources of the bootstrap have none`, async (t) => {
      await t.create('a');
      const reader = await open(t, { bootstrapContents: true, bootstrapBookmark: true });
      const [created, bootstrapped, noop] = await reader.expect('created a@1', 'bootstrapped', 'noop');
      bookmarkOf(bootstrapped);
      bookmarkOf(noop);
      check(created?.type === 'created', 'the first event must be created');
      equal(created.bookmark, undefined, 'the bookmark of a resource of the bootstrap');
    });

    if (features.labelQueries) {
      it(`W8, W11: what the labels of ${name} make of an update has a bookmark too`, async (t) => {
        const reader = await open(t, { labels: [label('tier').is('web')] });
        const stored = await t.create('a', 1, { labels: { tier: 'db' } });
        await t.change(await t.change(stored, { labels: { tier: 'web' } }), { labels: {} });
        for (const event of await reader.expect('created a@2', 'destroyed a@3')) bookmarkOf(event);
      });
    }
  }

  it('W8: every live event of a watch of one resource has a bookmark', async (t) => {
    const reader = await t.watch(t.at('a'));
    await reader.expect('destroyed a@-');
    await t.setValue(await t.create('a'), 2);
    await t.core.destroy(t.at('a'));
    for (const event of await reader.expect('created a@1', 'updated a@2', 'destroyed a@2')) bookmarkOf(event);
  });

  it(`W8: the first event of a watch of one resource has ${features.presentBookmark ? 'a' : 'no'} bookmark`, async (t) => {
    await t.create('a');
    const present = await t.watch(t.at('a'));
    const absent = await t.watch(t.at('b'));
    for (const [event] of [await present.expect('created a@1'), await absent.expect('destroyed b@-')]) {
      check(event?.type === 'created' || event?.type === 'destroyed', 'it must tell the present');
      equal(event.bookmark !== undefined, features.presentBookmark, 'that it has a bookmark');
    }
  });
}

function resumeTests({ it, itKeeping, features }: StateSuite, { name, open }: KindForm): void {
  itKeeping(8)(`W8: ${name} from the bookmark of an event gives exactly the events after it`, async (t) => {
    const events = await history(t);
    const readers: EventReader[] = [];
    for (const event of events) readers.push(await open(t, { startFromBookmark: bookmarkOf(event) }));
    for (const [i, reader] of readers.entries()) await reader.expect(...events.slice(i + 1).map(eventText));
    const marker = await t.mark();
    for (const reader of readers) await reader.expect(marker);
  });

  itKeeping(1)(`W8: ${name} resumes after every event of a longer run`, async (t) => {
    const first = await open(t, { bootstrapBookmark: true });
    let [last] = await first.expect('noop');
    await first.close();
    for (let i = 0; i < 12; i++) {
      await t.create(`id-${i}`, i);
      const reader = await open(t, { startFromBookmark: bookmarkOf(last) });
      [last] = await reader.expect(`created id-${i}@1`);
      await reader.close();
    }
  });

  it(`W8: ${name} from the newest bookmark begins with nothing`, async (t) => {
    const first = await open(t);
    await t.create('a');
    const [event] = await first.expect('created a@1');
    const reader = await open(t, { startFromBookmark: bookmarkOf(event) });
    await t.quiet(reader);
  });

  it(`W8: what ${name} gives after a bookmark is the same event, with bookmark and old`, async (t) => {
    const first = await open(t);
    await t.setValue(await t.create('a', 1), 2);
    const [created, updated] = await first.expect('created a@1', 'updated a@2');
    const reader = await open(t, { startFromBookmark: bookmarkOf(created) });
    const [again] = await reader.expect('updated a@2');
    equal(bookmarkOf(again), bookmarkOf(updated), 'the bookmark');
    check(again?.type === 'updated', 'it must be an update');
    equal(again.old?.metadata.version, features.oldOnUpdated ? 1n : undefined, 'the version of the old resource');
  });

  itKeeping(3)(`W8: the bookmark of bootstrapped stands for everything up to there, in ${name}`, async (t) => {
    const stored = await t.create('a');
    const first = await open(t, { bootstrapContents: true });
    const [, bootstrapped] = await first.expect('created a@1', 'bootstrapped');
    await t.setValue(stored, 2);
    await t.create('b');
    const reader = await open(t, { startFromBookmark: bookmarkOf(bootstrapped) });
    await reader.expect('updated a@2', 'created b@1');
    await t.quiet(reader);
  });

  itKeeping(3)(`W8: the bookmark of a noop stands for everything up to there, in ${name}`, async (t) => {
    await t.create('a');
    const first = await open(t, { bootstrapBookmark: true });
    const [noop] = await first.expect('noop');
    await t.create('b');
    await t.core.destroy(t.at('a'));
    const reader = await open(t, { startFromBookmark: bookmarkOf(noop) });
    await reader.expect('created b@1', 'destroyed a@1');
    await t.quiet(reader);
  });

  itKeeping(4)(`W8, W15: the bookmark of a kind that has never been gives ${name} all of its events`, async (t) => {
    const first = await open(t, { bootstrapBookmark: true });
    const [noop] = await first.expect('noop');
    await t.setValue(await t.create('a'), 2);
    await t.core.destroy(t.at('a'));
    const reader = await open(t, { startFromBookmark: bookmarkOf(noop) });
    await reader.expect('created a@1', 'updated a@2', 'destroyed a@2');
  });

  itKeeping(8)(`W5: with a start bookmark the noop of ${name} comes first and carries that position`, async (t) => {
    const events = await history(t);
    const reader = await open(t, { startFromBookmark: bookmarkOf(events[3]), bootstrapBookmark: true });
    const [noop] = await reader.expect('noop', 'updated a@3', 'destroyed b@1', 'updated a@4');
    const again = await open(t, { startFromBookmark: bookmarkOf(noop) });
    await again.expect('updated a@3', 'destroyed b@1', 'updated a@4');
    await t.quiet(reader);
  });

  if (features.labelQueries) {
    itKeeping(8)(`W8, W11: ${name} from a bookmark applies the same labels`, async (t) => {
      const events = await history(t);
      const labels = [label('tier').is('web')];
      const after: readonly string[][] = [
        ['updated a@2', 'created c@1', 'destroyed a@3', 'created a@4'],
        ['updated a@2', 'created c@1', 'destroyed a@3', 'created a@4'],
        ['created c@1', 'destroyed a@3', 'created a@4'],
        ['destroyed a@3', 'created a@4'],
        ['created a@4'],
        ['created a@4'],
        [],
      ];
      const readers: EventReader[] = [];
      for (const event of events) readers.push(await open(t, { startFromBookmark: bookmarkOf(event), labels }));
      for (const [i, texts] of after.entries()) await readers[i]?.expect(...texts);
      const marker = await t.mark(t.kind, { labels: { tier: 'web' } });
      for (const reader of readers) await reader.expect(marker);
    });
  }

  if (features.idQueries) {
    itKeeping(8)(`W8, W11: ${name} from a bookmark applies the same id pattern`, async (t) => {
      const events = await history(t);
      const reader = await open(t, { startFromBookmark: bookmarkOf(events[0]), id: '^[bc]$|^~' });
      await reader.expect('created b@1', 'created c@1', 'destroyed b@1');
      await t.quiet(reader);
    });
  }
}

function resumeOneTests({ it, itKeeping, features }: StateSuite): void {
  itKeeping(8)(
    'W8: a watch of one resource from a bookmark gives exactly the events about it after that',
    async (t) => {
      const events = await history(t);
      const ofB = events.map((event, i) => (i === 1 || i === 5 ? eventText(event) : ''));
      const readers: EventReader[] = [];
      for (const event of events) readers.push(await t.watch(t.at('b'), { startFromBookmark: bookmarkOf(event) }));
      for (const [i, reader] of readers.entries())
        await reader.expect(...ofB.slice(i + 1).filter((text) => text !== ''));
      await t.create('b');
      for (const reader of readers) await reader.expect('created b@1');
    },
  );

  itKeeping(4)('W4, W8: a watch of one resource with a bookmark does not tell the present', async (t) => {
    const first = await t.watch(t.at('a'));
    await first.expect('destroyed a@-');
    const stored = await t.create('a');
    const [created] = await first.expect('created a@1');
    const reader = await t.watch(t.at('a'), { startFromBookmark: bookmarkOf(created) });
    await t.setValue(stored, 2);
    await reader.expect('updated a@2');
  });

  if (features.presentBookmark) {
    itKeeping(2)(
      'W8: the bookmark of the event that tells the present stands for everything up to there',
      async (t) => {
        const stored = await t.create('a');
        const first = await t.watch(t.at('a'));
        const absent = await t.watch(t.at('b'));
        const [present] = await first.expect('created a@1');
        const [tombstone] = await absent.expect('destroyed b@-');
        await t.setValue(stored, 2);
        await t.create('b');
        await (await t.watch(t.at('a'), { startFromBookmark: bookmarkOf(present) })).expect('updated a@2');
        await (await t.watch(t.at('b'), { startFromBookmark: bookmarkOf(tombstone) })).expect('created b@1');
      },
    );
  }

  if (features.bookmarksAcrossKinds) {
    itKeeping(4)('W9: a bookmark means the same whatever it is used for', async (t) => {
      const ofKind = await t.watchKind();
      const ofOne = await t.watch(t.at('b'));
      const ofOther = await t.watchKind({ kind: Others.kind });
      await ofOne.expect('destroyed b@-');
      await t.create('a');
      const [a] = await ofKind.expect('created a@1');
      await t.core.create(Others.new('x', { value: 1 }));
      const [x] = await ofOther.expect('created x@1');
      await t.create('b');
      const [b] = await ofOne.expect('created b@1');
      await t.core.create(Others.new('y', { value: 1 }));
      await t.create('c');

      const other = await t.watchKind({ kind: Others.kind, startFromBookmark: bookmarkOf(a) });
      await other.expect('created x@1', 'created y@1');
      const kind = await t.watchKind({ startFromBookmark: bookmarkOf(x) });
      await kind.expect('created b@1', 'created c@1');
      const fromOne = await t.watchKind({ startFromBookmark: bookmarkOf(b) });
      await fromOne.expect('created c@1');
      const one = await t.watch(t.at('b'), { startFromBookmark: bookmarkOf(a) });
      await one.expect('created b@1');
    });
  }

  it('W9: a bookmark works as often as it is used', async (t) => {
    const first = await t.watchKind({ bootstrapBookmark: true });
    const [noop] = await first.expect('noop');
    await t.create('a');
    for (let i = 0; i < 3; i++) {
      const reader = await t.watchKind({ startFromBookmark: bookmarkOf(noop) });
      await reader.expect('created a@1');
      await reader.close();
    }
  });
}
