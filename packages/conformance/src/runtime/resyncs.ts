import { OverrunError } from '@cosi-ts/resource';
import { check, equal } from '../assertions.js';
import { seenInts, stringsOfInts } from './controllers.js';
import { Ints, Strings } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';
import type { RuntimeTest } from './runtime-test.js';

/** Each way in which watches break. */
const breaks: readonly [what: string, how: Parameters<RuntimeTest['core']['break']>[0]][] = [
  ['ended without a word', {}],
  ['broke', { error: new Error('the connection is lost') }],
  ['overran, and its bookmark is refused', { error: new OverrunError(Ints.kind, 1n, 20n, 10), refuseBookmarks: true }],
  ['ended, and its bookmark is refused', { refuseBookmarks: true }],
];

export function resyncTests({ it, itIf, features }: RuntimeSuite): void {
  for (const [what, how] of breaks) {
    it(`C9, W13: nothing is missed when a watch ${what}`, async (t) => {
      const { controller, seen, calls } = seenInts(t.lib);
      const run = t.run([controller, stringsOfInts(t.lib)]);
      await t.putMany('kept', 3);
      await t.put('changed', 1);
      await t.state.create(Ints.new('gone', { value: 1 }));
      await t.until(() => seen.size === 5, 'all were seen');
      await t.until(async () => (await t.state.list(Strings.kind)).length === 5, 'all have outputs');
      t.core.break(how);
      await t.put('changed', 2);
      await t.put('added', 3);
      await t.state.teardown(Ints.at('gone'));
      await t.state.removeFinalizer(Ints.at('gone'), 'StringsOfInts');
      await t.state.destroy(Ints.at('gone'));
      calls.length = 0;
      t.core.mend();
      await t.until(
        () => seen.get('changed') === '2' && seen.get('added') === '3' && seen.get('gone') === 'gone',
        () => `all changes were seen: ${[...seen].map(([id, value]) => `${id} ${value}`)}`,
      );
      await t.becomes(async () => (await t.find(Strings.at('changed')))?.spec.text, '2', 'an output');
      await t.becomes(async () => (await t.find(Strings.at('added')))?.spec.text, '3', 'another output');
      await t.put('live', 4);
      await t.becomes(() => seen.get('live'), '4', 'what is seen afterwards');
      equal(run.report('SeenInts').restarts, 0, 'restarts of the queue controller');
      equal(run.report('StringsOfInts').restarts, 0, 'restarts of the controller');
    });
  }

  it('C9: what was destroyed and made again meanwhile is a change, also at the same version', async (t) => {
    const { controller, seen } = seenInts(t.lib);
    t.run([controller]);
    await t.put('a', 1);
    await t.becomes(() => seen.get('a'), '1', 'what was seen');
    t.core.break({ refuseBookmarks: true });
    await t.state.destroy(Ints.at('a'));
    await t.put('a', 2);
    equal((await t.state.get(Ints.at('a'))).metadata.version, 1n, 'its version');
    t.core.mend();
    await t.becomes(() => seen.get('a'), '2', 'what was seen');
  });

  it('C9, W16: while a watch is broken, the report says so and why; and it is made again without end', async (t) => {
    const { controller, seen } = seenInts(t.lib);
    const run = t.run([controller]);
    await t.put('a', 1);
    await t.becomes(() => seen.get('a'), '1', 'what was seen');
    t.core.break({ error: new Error('the connection is lost') });
    await t.eventually(() => {
      const { status, reason } = run.runtime.report().watches[0] ?? {};
      equal(status, 'degraded', 'the status of the watch');
      check(reason !== undefined && reason !== '', 'the reason must be told');
      const part = run.runtime.report().health.parts.find(({ part }) => part === 'watch');
      equal(part?.status, 'degraded', 'its health');
    });
    const { askedWatches } = t.core;
    await t.until(() => t.core.askedWatches >= askedWatches + 5, 'it was tried five times more');
    t.core.mend();
    await t.becomes(() => run.runtime.report().watches[0]?.status, 'live', 'the status of the watch');
    await t.put('b', 1);
    await t.becomes(() => seen.get('b'), '1', 'what is seen afterwards');
  });

  itIf(features.overrunEvents !== undefined)(
    'C9, W13: more changes at once than a watch can follow lose nothing',
    async (t) => {
      const run = t.run([stringsOfInts(t.lib)]);
      await t.put('first', 1);
      await t.until(() => t.exists(Strings.at('first')), 'there is an output');
      const goOn = t.core.stall();
      // Brings what watches are waiting for already.
      await t.put('second', 2);
      await t.until(() => t.exists(Strings.at('second')), 'there is a second output');
      const ids = Array.from({ length: features.overrunEvents ?? 0 }, (_, i) => `i${i}`);
      for (const [value, id] of ids.entries()) await t.put(id, value);
      goOn();
      const expected = Object.fromEntries(ids.map((id, value) => [id, { text: String(value) }]));
      await t.specsBecome(Strings.kind, { ...expected, first: { text: '1' }, second: { text: '2' } }, 'the outputs');
      const failures = run.runtime.report().watches.reduce((sum, watch) => sum + watch.failures, 0);
      check(failures > 0, 'a watch must have overrun, as the features say');
      equal(run.report('StringsOfInts').status, 'running', 'the status of the controller');
    },
  );
}
