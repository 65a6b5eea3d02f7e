import { isCosiError, type Resource } from '@cosi-ts/resource';
import { check, equal, sameResource } from '../assertions.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';

/** The codes of what was rejected, sorted; what succeeded counts as `ok`. */
function outcomes(results: readonly PromiseSettledResult<unknown>[]): string[] {
  return results
    .map((result) => {
      if (result.status === 'fulfilled') return 'ok';
      return isCosiError(result.reason) ? result.reason.code : String(result.reason);
    })
    .toSorted();
}

const times = <T>(count: number, each: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => each(i));

export function concurrencyTests({ it, itKeeping }: StateSuite): void {
  it('S16: of updates with the same version exactly one succeeds', async (t) => {
    const stored = await t.create('a', 0);
    const reader = await t.watchKind();
    const results = await Promise.allSettled(times(12, (i) => t.setValue(stored, i + 1)));
    equal(outcomes(results), ['ok', ...Array(11).fill('version-conflict')].toSorted(), 'the outcomes');
    const winner = results.find((result) => result.status === 'fulfilled') as PromiseFulfilledResult<Resource>;
    sameResource(await t.core.get(t.at('a')), winner.value, 'what is stored');
    await reader.expect('updated a@2');
    await t.quiet(reader);
  });

  it('S16: of creates of one id exactly one succeeds', async (t) => {
    const reader = await t.watchKind();
    const results = await Promise.allSettled(times(12, (i) => t.create('a', i)));
    equal(outcomes(results), [...Array(11).fill('already-exists'), 'ok'], 'the outcomes');
    const winner = results.find((result) => result.status === 'fulfilled') as PromiseFulfilledResult<Resource>;
    sameResource(await t.core.get(t.at('a')), winner.value, 'what is stored');
    await reader.expect('created a@1');
    await t.quiet(reader);
  });

  it('S16: of destroys exactly one succeeds', async (t) => {
    await t.create('a');
    const reader = await t.watchKind();
    const results = await Promise.allSettled(times(8, () => t.core.destroy(t.at('a'))));
    equal(outcomes(results), [...Array(7).fill('not-found'), 'ok'], 'the outcomes');
    await reader.expect('destroyed a@1');
    await t.quiet(reader);
  });

  it('S16: an update and a destroy that race come one after the other', async (t) => {
    for (let round = 0; round < 10; round++) {
      const stored = await t.create('a', round);
      const reader = await t.watchKind();
      const calls: (() => Promise<unknown>)[] = [() => t.setValue(stored, 100), () => t.core.destroy(t.at('a'))];
      if (round % 2 === 1) calls.reverse();
      const [updating, destroying] = round % 2 === 1 ? [1, 0] : [0, 1];
      const results = await Promise.allSettled(calls.map((call) => call()));
      const updated = results[updating as number]?.status === 'fulfilled';
      equal(results[destroying as number]?.status, 'fulfilled', 'the outcome of the destroy');
      await reader.expect(...(updated ? ['updated a@2', 'destroyed a@2'] : ['destroyed a@1']));
      await reader.close();
    }
  });

  it('S16: of read-change-writes that race none is lost, and events come in the order of versions', async (t) => {
    await t.create('a', 0);
    const reader = await t.watch(t.at('a'));
    await reader.expect('created a@1');
    await Promise.all(
      times(8, async () => {
        for (let i = 0; i < 5; i++) await t.state.updateWithConflicts(t.at('a'), (draft) => void draft.spec.value++);
      }),
    );
    const stored = await t.core.get(t.at('a'));
    equal([t.valueOf(stored), stored.metadata.version], [40, 41n], 'value and version');
    const events = await reader.take(40);
    equal(
      events.map(eventText),
      times(40, (i) => `updated a@${i + 2}`),
      'the events',
    );
    const values = events.map((event) => (event.type === 'updated' ? t.valueOf(event.resource) : undefined));
    equal(
      values,
      times(40, (i) => i + 1),
      'the values in the events',
    );
  });

  it('S16: a write that was answered is seen by every later read', async (t) => {
    let stored = await t.create('a', 0);
    for (let i = 1; i <= 10; i++) {
      const [updated] = await Promise.all([t.setValue(stored, i), t.create(`other-${i}`)]);
      stored = updated;
      const [first, second] = await Promise.all([t.core.get(t.at('a')), t.core.list(t.kind)]);
      sameResource(first, updated, 'what get gives');
      sameResource(second[0] as Resource, updated, 'what list gives');
    }
  });

  it('S16: reads during a write give the state before or after it, and never go back', async (t) => {
    const stored = await t.create('a', 1);
    const updating = t.started(t.setValue(stored, 2));
    const reads = await Promise.all(times(6, () => t.core.get(t.at('a'))));
    const updated = await updating;
    for (const read of reads) {
      const before = read.metadata.version === 1n;
      sameResource(read, before ? stored : updated, 'what a read during the write gives');
    }
    sameResource(await t.core.get(t.at('a')), updated, 'what a read after it gives');
  });

  itKeeping(1)('S16: all watches see the writes of many writers in the same order', async (t) => {
    const readers = [await t.watchKind(), await t.watchKindAggregated(), await t.watchKind()];
    await Promise.all(
      times(6, async (writer) => {
        let stored = await t.create(`w${writer}`, 0);
        for (let i = 1; i < 4; i++) stored = await t.setValue(stored, i);
        await t.core.destroy(t.at(`w${writer}`));
      }),
    );
    const marker = await t.mark();
    const [first, ...others] = await Promise.all(
      readers.map(async (reader) => (await reader.until(marker)).map(eventText)),
    );
    for (const other of others) equal(other, first, 'the events of another watch');
    for (let writer = 0; writer < 6; writer++) {
      const own = first?.filter((text) => text.includes(` w${writer}@`));
      const expected = ['created', 'updated', 'updated', 'updated', 'destroyed'];
      equal(
        own,
        expected.map((type, i) => `${type} w${writer}@${Math.min(i + 1, 4)}`),
        'the events of one writer',
      );
    }
  });

  itKeeping(64)('S16: what writers and watches of a burst see adds up', async (t) => {
    const reader = await t.watchKind({ bootstrapContents: true });
    await Promise.allSettled(
      times(60, (i) => {
        const id = `id-${i % 4}`;
        if (i % 3 === 0) return t.create(id, i);
        if (i % 3 === 1) return t.core.get(t.at(id)).then((stored) => t.setValue(stored, i));
        return t.core.destroy(t.at(id));
      }),
    );
    await t.addsUp(reader);
    check((await t.core.list(t.kind)).length <= 5, 'there must be no more than the ids used');
  });
}
