import { isTombstone, label } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { check, equal, sameResource } from '../assertions.js';
import { Others } from '../items.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';
import { type KindForm, kindForms } from './kind-forms.js';
import { idsInOrder } from './list.js';

export function watchKindTests(suite: StateSuite): void {
  for (const form of kindForms) {
    liveTests(suite, form);
    bootstrapTests(suite, form);
    if (suite.features.bookmarks) bootstrapBookmarkTests(suite, form);
  }
}

function liveTests({ it, itKeeping, features }: StateSuite, { name, open }: KindForm): void {
  it(`W5: ${name} begins with nothing unless asked`, async (t) => {
    await t.create('a');
    const reader = await open(t);
    await t.quiet(reader);
  });

  it(`W3: ${name} brings created, updated and destroyed, each as it happens`, async (t) => {
    const reader = await open(t);
    const first = await t.create('a', 1);
    const [created] = await reader.expect('created a@1');
    const second = await t.setValue(first, 2);
    const [updated] = await reader.expect('updated a@2');
    await t.core.destroy(t.at('a'));
    const [destroyed] = await reader.expect('destroyed a@2');
    sameResource(resourceOf(created), first, 'the created resource');
    sameResource(resourceOf(updated), second, 'the updated resource');
    sameResource(resourceOf(destroyed), second, 'the last state of the destroyed resource');
    equal(t.valueOf(resourceOf(destroyed)), 2, 'its spec');
  });

  it(`W3: ${name} brings ${features.oldOnUpdated ? 'the resource before with each update' : 'no old resources'}`, async (t) => {
    const first = await t.create('a', 1, { labels: { x: '1' } });
    const reader = await open(t);
    const second = await t.setValue(first, 2);
    const third = await t.change(second, { phase: 'tearingDown' });
    await t.change(third, { labels: {} }, { expectedPhase: 'any' });
    const events = await reader.expect('updated a@2', 'updated a@3', 'updated a@4');
    const olds = events.map((event) => (event.type === 'updated' ? event.old : undefined));
    if (!features.oldOnUpdated) return equal(olds, [undefined, undefined, undefined], 'the old resources');
    for (const [i, before] of [first, second, third].entries()) {
      const old = olds[i];
      check(old !== undefined, `update ${i + 1} must bring the resource before`);
      sameResource(old, before, `the resource before update ${i + 1}`);
    }
  });

  it(`W3: ${name} brings only what belongs to each event`, async (t) => {
    const reader = await open(t);
    await t.setValue(await t.create('a'), 2);
    await t.core.destroy(t.at('a'));
    const events = await reader.expect('created a@1', 'updated a@2', 'destroyed a@2');
    for (const event of events) {
      const allowed = ['type', 'resource', 'bookmark', ...(event.type === 'updated' ? ['old'] : [])];
      const strange = Object.keys(event).filter((key) => !allowed.includes(key));
      equal(strange, [], `what a ${event.type} event holds beside what it should`);
    }
  });

  it(`W3: ${name} shows the events of its kind only, in the order of the writes`, async (t) => {
    const reader = await open(t);
    const a = await t.create('a');
    await t.core.create(Others.new('x', { value: 1 }));
    const b = await t.create('b');
    await t.setValue(b, 2);
    await t.core.destroy(Others.at('x'));
    await t.setValue(a, 2);
    await t.core.destroy(t.at('b'));
    await reader.expect('created a@1', 'created b@1', 'updated b@2', 'updated a@2', 'destroyed b@2');
    await t.quiet(reader);
  });

  itKeeping(1)(`W1: what happens between the call of ${name} and the first read is seen`, async (t) => {
    const reader = await open(t, { lazy: true });
    await t.create('a');
    await reader.expect('created a@1');
  });

  itKeeping(3)(`W1: all that happens before the first read of ${name} is seen, in order`, async (t) => {
    const reader = await open(t, { lazy: true });
    await t.setValue(await t.create('a'), 2);
    await t.core.destroy(t.at('a'));
    await reader.expect('created a@1', 'updated a@2', 'destroyed a@2');
    await t.quiet(reader);
  });

  itKeeping(8)(`W1: whoever opens ${name} while others write misses nothing from then on`, async (t) => {
    for (let round = 0; round < 5; round++) {
      const opening = t.started(open(t, { bootstrapContents: true }));
      const writing = [0, 1, 2].map((i) => t.started(t.create(`${round}-${i}`)));
      const reader = await opening;
      await Promise.all(writing);
      await t.addsUp(reader);
    }
  });
}

function bootstrapTests({ it, itKeeping, features }: StateSuite, { name, open }: KindForm): void {
  it(`W5: a bootstrap of ${name} gives the resources in the order of ids, then bootstrapped`, async (t) => {
    for (const id of [...idsInOrder].reverse()) await t.create(id);
    const reader = await open(t, { bootstrapContents: true });
    await reader.expect(...idsInOrder.map((id) => `created ${id}@1`), 'bootstrapped');
    await t.quiet(reader);
  });

  it(`W5: a bootstrap of ${name} gives each resource as it is stored`, async (t) => {
    const a = await t.setValue(await t.create('a', 1, { labels: { x: 'y' }, finalizers: ['f'] }), 2);
    const b = await t.create('b', 3, { phase: 'tearingDown' });
    const reader = await open(t, { bootstrapContents: true });
    const events = await reader.expect('created a@2', 'created b@1', 'bootstrapped');
    sameResource(resourceOf(events[0]), a, 'the first resource');
    sameResource(resourceOf(events[1]), b, 'the second resource');
  });

  it(`W5: a bootstrap of ${name} on an empty kind is bootstrapped alone`, async (t) => {
    await t.core.create(Others.new('x', { value: 1 }));
    const reader = await open(t, { bootstrapContents: true });
    await reader.expect('bootstrapped');
    await t.quiet(reader);
  });

  it(`W3, R12: bootstrapped of ${name} carries a tombstone of the kind`, async (t) => {
    await t.create('a');
    const reader = await open(t, { bootstrapContents: true });
    const [, event] = await reader.expect('created a@1', 'bootstrapped');
    isKindTombstone(event, t.kind);
  });

  it(`W5: after the bootstrap of ${name} come the live events, and none comes twice`, async (t) => {
    const a = await t.create('a');
    const reader = await open(t, { bootstrapContents: true });
    await reader.expect('created a@1', 'bootstrapped');
    await t.setValue(a, 2);
    await t.create('b');
    await t.core.destroy(t.at('a'));
    await reader.expect('updated a@2', 'created b@1', 'destroyed a@2');
    await t.quiet(reader);
  });

  itKeeping(3)(`W1, W5: the bootstrap of ${name} is fixed by the call, not by the first read`, async (t) => {
    const a = await t.create('a');
    await t.create('b');
    const reader = await open(t, { bootstrapContents: true, lazy: true });
    await t.setValue(a, 2);
    await t.core.destroy(t.at('b'));
    await t.create('c');
    await reader.expect('created a@1', 'created b@1', 'bootstrapped');
    await reader.expect('updated a@2', 'destroyed b@1', 'created c@1');
    await t.quiet(reader);
  });

  itKeeping(8)(`W5: between the bootstrap and the live events of ${name} nothing is lost or repeated`, async (t) => {
    for (let i = 0; i < 4; i++) await t.create(`early-${i}`);
    for (let round = 0; round < 5; round++) {
      const before = [0, 1, 2].map((i) => t.started(t.create(`${round}-${i}`)));
      const opening = t.started(open(t, { bootstrapContents: true }));
      const after = [3, 4, 5].map((i) => t.started(t.create(`${round}-${i}`)));
      const reader = await opening;
      await Promise.all([...before, ...after]);
      const events = await reader.until(await t.mark());
      const texts = events.map(eventText);
      equal(
        texts.filter((text, i) => texts.indexOf(text) !== i),
        [],
        'the events that came twice',
      );
      const ids = events.flatMap((event) => (event.type === 'created' ? [event.resource.metadata.id] : []));
      const stored = (await t.core.list(t.kind)).map(({ metadata }) => metadata.id);
      equal(ids.toSorted(), stored.toSorted(), 'the ids in the events, and those that are stored');
      equal(texts.filter((text) => text === 'bootstrapped').length, 1, 'the number of bootstrapped events');
      await reader.close();
    }
  });

  if (features.labelQueries) {
    it(`W5, W11: a bootstrap of ${name} with labels gives what matches`, async (t) => {
      await t.create('a', 1, { labels: { tier: 'web' } });
      await t.create('b', 1, { labels: { tier: 'db' } });
      await t.create('c', 1, { labels: { tier: 'web' } });
      const reader = await open(t, { bootstrapContents: true, labels: [label('tier').is('web')] });
      await reader.expect('created a@1', 'created c@1', 'bootstrapped');
      await t.create('d', 1, { labels: { tier: 'db' } });
      await t.quiet(reader, t.kind, { labels: { tier: 'web' } });
    });
  }

  if (features.idQueries) {
    it(`W5, W11: a bootstrap of ${name} with an id pattern gives what matches`, async (t) => {
      for (const id of ['a-1', 'b-1', 'a-2']) await t.create(id);
      const reader = await open(t, { bootstrapContents: true, id: '^a-|^~' });
      await reader.expect('created a-1@1', 'created a-2@1', 'bootstrapped');
      await t.create('b-2');
      await t.quiet(reader);
    });
  }
}

function bootstrapBookmarkTests({ it, itKeeping }: StateSuite, { name, open }: KindForm): void {
  it(`W5: a bootstrap bookmark of ${name} is a noop, and nothing else`, async (t) => {
    await t.create('a');
    const reader = await open(t, { bootstrapBookmark: true });
    const [event] = await reader.expect('noop');
    isKindTombstone(event, t.kind);
    await t.quiet(reader);
  });

  it(`W5, W15: a bootstrap bookmark of ${name} comes also on a kind that has never been`, async (t) => {
    const reader = await open(t, { bootstrapBookmark: true });
    const [event] = await reader.expect('noop');
    check(event?.type === 'noop' && event.bookmark !== undefined, 'it must have a bookmark');
  });

  it(`W5: when ${name} is asked for both, the noop comes after bootstrapped`, async (t) => {
    await t.create('a');
    const reader = await open(t, { bootstrapContents: true, bootstrapBookmark: true });
    await reader.expect('created a@1', 'bootstrapped', 'noop');
    await t.quiet(reader);
  });

  itKeeping(8)(`W3: ${name} brings no noop unasked, and bootstrapped once`, async (t) => {
    await t.create('a');
    const reader = await open(t, { bootstrapContents: true });
    const stored = await t.core.get(t.at('a'));
    await t.setValue(stored, 2);
    await t.create('b');
    const texts = (await reader.until(await t.mark())).map(eventText);
    equal(texts.slice(0, 4), ['created a@1', 'bootstrapped', 'updated a@2', 'created b@1'], 'the events');
    equal(texts.length, 5, 'their number');
  });
}

function resourceOf(event: Event | undefined) {
  check(event !== undefined && event.type !== 'errored', 'there must be an event with a resource');
  return event.resource;
}

function isKindTombstone(event: Event | undefined, kind: { readonly namespace: string; readonly type: string }): void {
  const resource = resourceOf(event);
  const { metadata } = resource;
  check(isTombstone(resource), 'the resource must be a tombstone');
  equal([metadata.namespace, metadata.type], [kind.namespace, kind.type], 'the kind that it names');
  equal([metadata.id, metadata.version], ['', undefined], 'its id and version');
}
