import { isOverrun, type Resource } from '@cosi-ts/resource';
import { check, equal } from '../assertions.js';
import type { EventReader } from '../event-reader.js';
import type { StateFeatures } from '../features.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';
import { type KindForm, kindForms } from './kind-forms.js';

/** So much lag every history must bear that can; more would only take longer. */
const maxLag = 200;

export function overrunTests(suite: StateSuite): void {
  for (const form of kindForms) {
    lagTests(suite, form);
    kindOverrunTests(suite, form);
  }
  oneOverrunTests(suite);
}

/** Writes more than an unread watch of the kind can bear. Gives the number of writes. */
async function overrun(t: StateTest, features: StateFeatures): Promise<number> {
  const noteBytes = features.overrunBytes === 0 ? 0 : 65_536;
  const events = (features.overrunEvents ?? 0) + 1 + Math.ceil(features.overrunBytes / Math.max(1, noteBytes));
  let stored: Resource = await t.create('busy', 0);
  const note = { note: 'x'.repeat(noteBytes) };
  for (let i = 1; i < events; i++) stored = await t.change(stored, { annotations: { ...note, i: `${i}` } });
  return events;
}

/** Reads to the end, checks that what comes before the error is right, and gives the error. */
async function errorOf(reader: EventReader): Promise<Error> {
  for (let version = 1; ; version++) {
    const event = await reader.next('an errored event');
    if (event.type === 'errored') {
      await reader.ended();
      return event.error;
    }
    equal(eventText(event), version === 1 ? 'created busy@1' : `updated busy@${version}`, 'an event before the error');
  }
}

function lagTests({ itKeeping, features }: StateSuite, { name, open }: KindForm): void {
  itKeeping(1)(`W12: ${name} that is not read loses nothing of what the history keeps`, async (t) => {
    const reader = await open(t, { lazy: true });
    const lag = Math.min(features.historyEvents, maxLag);
    let stored: Resource = await t.create('a', 0);
    for (let i = 1; i < lag; i++) stored = await t.setValue(stored, i);
    const expected = Array.from({ length: lag }, (_, i) => (i === 0 ? 'created a@1' : `updated a@${i + 1}`));
    await reader.expect(...expected);
    await t.quiet(reader);
  });
}

function kindOverrunTests({ it, features }: StateSuite, { name, open }: KindForm): void {
  if (features.overrunEvents === undefined) return;

  it(`W12: ${name} that falls behind by more than is kept ends with an overrun`, async (t) => {
    const reader = await open(t, { lazy: true });
    await overrun(t, features);
    const error = await errorOf(reader);
    check(isOverrun(error), `the error must be an overrun, it is ${error}`);
  });

  it(`W12: the overrun of ${name} says namespace, type, its position, the write position and the capacity`, async (t) => {
    const reader = await open(t, { lazy: true });
    await overrun(t, features);
    const { message } = await errorOf(reader);
    const { namespace, type } = t.kind;
    const start = `buffer overrun: namespace "${namespace}" type "${type}"`;
    equal(message.slice(0, start.length), start, 'the beginning of the message');
    const numbers = message.slice(start.length).match(/\d+/g) ?? [];
    check(numbers.length >= 3, `"${message}" must hold two positions and a capacity`);
  });

  it(`W3, W12: the errored event of ${name} carries an error, no resource and no bookmark, and is the last`, async (t) => {
    const reader = await open(t, { lazy: true });
    await overrun(t, features);
    let event = await reader.next();
    while (event.type !== 'errored') event = await reader.next();
    equal(Object.keys(event).toSorted(), ['error', 'type'], 'what the event holds');
    check(event.error instanceof Error, 'the error must be an Error');
    await reader.ended();
  });

  it(`W12: other watches and writers do not notice the overrun of ${name}`, async (t) => {
    const live = await open(t);
    const stuck = await open(t, { lazy: true });
    const events = await overrun(t, features);
    const expected = Array.from({ length: events }, (_, i) => (i === 0 ? 'created busy@1' : `updated busy@${i + 1}`));
    await live.expect(...expected);
    await errorOf(stuck);
    await t.quiet(live);
  });

  it(`W12: changes of other kinds do not overrun ${name}`, async (t) => {
    const other = { namespace: t.kind.namespace, type: 'Others.conformance.cosi.dev' };
    const reader = await open(t, { lazy: true, kind: other });
    await overrun(t, features);
    await t.quiet(reader, other);
  });

  it(`W12: the bootstrap of ${name} that is not read is followed by the overrun`, async (t) => {
    await t.create('a');
    const reader = await open(t, { lazy: true, bootstrapContents: true });
    await overrun(t, features);
    await reader.expect('created a@1', 'bootstrapped');
    check(isOverrun(await errorOf(reader)), 'the error must be an overrun');
  });
}

function oneOverrunTests({ it, features }: StateSuite): void {
  if (features.overrunEvents === undefined) return;

  it('W12: a watch of one resource that falls behind by more than is kept ends with an overrun', async (t) => {
    const reader = await t.watch(t.at('busy'), { lazy: true });
    await overrun(t, features);
    await reader.expect('destroyed busy@-');
    check(isOverrun(await errorOf(reader)), 'the error must be an overrun');
  });
}
