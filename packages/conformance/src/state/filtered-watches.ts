import { label } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { check, equal, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';
import { type KindForm, kindForms } from './kind-forms.js';

const web = { labels: { tier: 'web' } };
const db = { labels: { tier: 'db' } };
const isWeb = [label('tier').is('web')];

export function filteredWatchTests(suite: StateSuite): void {
  for (const form of kindForms) {
    if (suite.features.labelQueries) labelTests(suite, form);
    if (suite.features.idQueries) idTests(suite, form);
  }
}

function changed(event: Event | undefined) {
  check(event?.type === 'created' || event?.type === 'updated' || event?.type === 'destroyed', 'it must be a change');
  return event;
}

function labelTests({ it, features }: StateSuite, { name, open }: KindForm): void {
  it(`W11: ${name} shows an update that begins to match as created, with the new state and without old`, async (t) => {
    const first = await t.create('a', 1, db);
    const reader = await open(t, { labels: isWeb });
    const second = await t.change(first, web);
    const [event] = await reader.expect('created a@2');
    sameResource(changed(event).resource, second, 'the resource');
    equal('old' in changed(event), false, 'that it has an old resource');
    await t.quiet(reader, t.kind, web);
  });

  it(`W11: ${name} shows an update that stops matching as destroyed, with the new state and without old`, async (t) => {
    const first = await t.create('a', 1, web);
    const reader = await open(t, { labels: isWeb });
    const second = await t.change(first, db);
    const [event] = await reader.expect('destroyed a@2');
    sameResource(changed(event).resource, second, 'the resource');
    equal('old' in changed(event), false, 'that it has an old resource');
    await t.quiet(reader, t.kind, web);
  });

  it(`W11: ${name} shows an update that matches before and after as an update`, async (t) => {
    const first = await t.create('a', 1, web);
    const reader = await open(t, { labels: isWeb });
    await t.setValue(first, 2);
    const [event] = await reader.expect('updated a@2');
    check(event?.type === 'updated', 'it must be an update');
    if (features.oldOnUpdated) sameResource(event.old as NonNullable<typeof event.old>, first, 'the resource before');
    await t.quiet(reader, t.kind, web);
  });

  it(`W11: ${name} does not show what never matches`, async (t) => {
    const reader = await open(t, { labels: isWeb });
    const first = await t.create('a', 1, db);
    await t.setValue(await t.change(first, { labels: {} }), 3);
    await t.core.destroy(t.at('a'));
    await t.quiet(reader, t.kind, web);
  });

  it(`W11: ${name} shows the end of what matches with its last state, and of nothing else`, async (t) => {
    await t.create('a', 1, web);
    await t.create('b', 1, db);
    const was = await t.change(await t.create('c', 1, web), db);
    const reader = await open(t, { labels: isWeb });
    await t.core.destroy(t.at('b'));
    await t.core.destroy(t.at(was.metadata.id));
    await t.core.destroy(t.at('a'));
    await reader.expect('destroyed a@1');
    await t.quiet(reader, t.kind, web);
  });

  it(`W11: ${name} shows a resource that goes and comes back`, async (t) => {
    const reader = await open(t, { labels: isWeb });
    let stored = await t.create('a', 1, web);
    stored = await t.change(stored, db);
    stored = await t.change(stored, { labels: { tier: 'cache' } });
    stored = await t.change(stored, web);
    stored = await t.setValue(stored, 5);
    await t.core.destroy(t.at('a'));
    await t.create('a', 1, db);
    await reader.expect('created a@1', 'destroyed a@2', 'created a@4', 'updated a@5', 'destroyed a@5');
    await t.quiet(reader, t.kind, web);
  });

  it(`W11: of several queries of ${name} one has to match, before and after`, async (t) => {
    const labels = [[label('tier').is('web')], [label('zone').is('a')]];
    const reader = await open(t, { labels });
    const first = await t.create('a', 1, { labels: { tier: 'web' } });
    const second = await t.change(first, { labels: { zone: 'a' } });
    await t.change(second, { labels: { zone: 'b' } });
    await reader.expect('created a@1', 'updated a@2', 'destroyed a@3');
    await t.quiet(reader, t.kind, web);
  });

  it(`W11: inverted labels of ${name} match what has no such label`, async (t) => {
    const reader = await open(t, { labels: [label('tier').absent()] });
    const first = await t.create('a', 1, web);
    const second = await t.change(first, { labels: {} });
    await t.change(second, web);
    await reader.expect('created a@2', 'destroyed a@3');
    await t.quiet(reader);
  });
}

function idTests({ it, features }: StateSuite, { name, open }: KindForm): void {
  it(`W11: ${name} with an id pattern shows what matches it`, async (t) => {
    const reader = await open(t, { id: '^web-|^~' });
    const web1 = await t.create('web-1');
    const db1 = await t.create('db-1');
    await t.setValue(db1, 2);
    await t.setValue(web1, 2);
    await t.core.destroy(t.at('db-1'));
    await t.core.destroy(t.at('web-1'));
    await reader.expect('created web-1@1', 'updated web-1@2', 'destroyed web-1@2');
    await t.quiet(reader);
  });

  if (!features.labelQueries) return;
  it(`W11: labels and id pattern of ${name} must both match`, async (t) => {
    const reader = await open(t, { id: '^web-|^~', labels: isWeb });
    const web1 = await t.create('web-1', 1, db);
    await t.create('db-1', 1, web);
    await t.change(web1, web);
    await reader.expect('created web-1@2');
    await t.quiet(reader, t.kind, web);
  });
}
