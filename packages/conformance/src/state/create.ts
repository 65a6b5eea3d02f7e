import { isConflict, Timestamp } from '@cosi-ts/resource';
import { check, equal, rejectsWith, same, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';

const longAgo = Timestamp.parse('2001-02-03T04:05:06Z');

export function createTests({ it, features }: StateSuite): void {
  it('S4: create gives back the stored resource, in version 1', async (t) => {
    const created = await t.core.create(t.item('a', 5));
    equal(created.metadata.version, 1n, 'the version');
    equal(t.valueOf(created), 5, 'the spec');
    sameResource(created, await t.core.get(t.at('a')), 'what create gives back');
  });

  it('S4: the version that the resource comes with does not matter', async (t) => {
    const item = t.item('a');
    const created = await t.core.create(item.withMetadata(item.metadata.with({ version: 17n })));
    equal(created.metadata.version, 1n, 'the version');
    equal((await t.core.get(t.at('a'))).metadata.version, 1n, 'the stored version');
  });

  const updatedTime = features.updatedOnCreate ? 'updated is the same' : 'updated is as sent';
  it(`S4: created is the present time, whatever the resource comes with, and ${updatedTime}`, async (t) => {
    const item = t.item('a');
    const given = item.withMetadata(item.metadata.with({ created: longAgo, updated: longAgo.next() }));
    const { created, updated } = (await t.core.create(given)).metadata;
    equal(updated, features.updatedOnCreate ? created : longAgo.next(), 'the time of the update');
    check(created.compare(longAgo) > 0 && created.seconds - longAgo.seconds > 1, `created is ${created}, not now`);
  });

  it('R1: the times that are set increase strictly', async (t) => {
    const first = await t.create('a');
    const second = await t.create('b');
    const third = await t.setValue(first, 2);
    const fourth = await t.create('c');
    const times = [first, second, third, fourth].map(({ metadata: { version, created, updated } }) =>
      version === 1n ? created : updated,
    );
    for (const [i, time] of times.slice(1).entries()) {
      check(time.compare(times[i] as Timestamp) > 0, `write ${i + 2} has the time ${time}, the one before ${times[i]}`);
    }
  });

  it('S4, R5: phase, finalizers, labels and annotations are stored as given', async (t) => {
    const metadata = {
      phase: 'tearingDown',
      finalizers: ['second', 'first', 'third'],
      labels: { b: '2', a: '1' },
      annotations: { 'z/z': 'ü', constructor: 'x' },
    } as const;
    await t.create('a', 1, metadata);
    const stored = (await t.core.get(t.at('a'))).metadata;
    equal(stored.phase, 'tearingDown', 'the phase');
    equal(stored.finalizers, metadata.finalizers, 'the finalizers, in their order');
    equal({ ...stored.labels }, metadata.labels, 'the labels');
    equal({ ...stored.annotations }, metadata.annotations, 'the annotations');
  });

  it('S4: the owner is the given one', async (t) => {
    const created = await t.core.create(t.item('a'), { owner: 'me' });
    equal(created.metadata.owner, 'me', 'the owner');
    equal((await t.core.get(t.at('a'))).metadata.owner, 'me', 'the stored owner');
    equal((await t.core.create(t.item('b'))).metadata.owner, '', 'the owner when none is given');
  });

  it('S4: the given owner may be in the metadata already', async (t) => {
    const created = await t.core.create(t.item('a', 1, { owner: 'me' }), { owner: 'me' });
    equal(created.metadata.owner, 'me', 'the owner');
  });

  it('S4: another owner in the metadata is an error that is no conflict, and nothing is stored', async (t) => {
    const reader = await t.watchKind();
    const creating = t.core.create(t.item('a', 1, { owner: 'someone' }), { owner: 'me' });
    const code = features.errorCodes ? 'invalid-argument' : 'unknown';
    const error = await rejectsWith(creating, code, "create for me of what is someone's", t.at('a'));
    check(!isConflict(error), 'the error must be no conflict');
    const forNobody = t.core.create(t.item('a', 1, { owner: 'someone' }));
    await rejectsWith(forNobody, code, "create for nobody of what is someone's", t.at('a'));
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
    await t.quiet(reader);
  });

  it('S4, S7: a taken pointer is already-exists, a conflict, and nothing changes', async (t) => {
    const stored = await t.create('a', 1, { labels: { first: 'yes' } });
    const reader = await t.watchKind();
    const error = await rejectsWith(t.core.create(t.item('a', 2)), 'already-exists', 'a second create', t.at('a'));
    check(isConflict(error), 'the error must be a conflict');
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    await t.quiet(reader);
  });

  it("S4: a taken pointer is already-exists also when it is tearing down, or another owner's", async (t) => {
    await t.create('a', 1, { phase: 'tearingDown' });
    await t.create('b', 1, { owner: 'someone' });
    await rejectsWith(t.core.create(t.item('a')), 'already-exists', 'create of what is tearing down', t.at('a'));
    await rejectsWith(t.core.create(t.item('b'), { owner: 'me' }), 'already-exists', "create of another's", t.at('b'));
  });

  it('S4: after a destroy the id begins anew', async (t) => {
    const first = await t.setValue(await t.create('a', 1), 2);
    await t.core.destroy(t.at('a'));
    const again = await t.create('a', 3);
    equal(again.metadata.version, 1n, 'the version of the new life');
    check(again.metadata.created.compare(first.metadata.updated) > 0, 'the new life was created later');
  });

  it('S4: what was given stays as it was', async (t) => {
    const item = t.item('a', 1, { labels: { x: 'y' } });
    const { metadata } = item;
    await t.core.create(item, { owner: 'me' });
    same(item.metadata, metadata, 'the metadata of the given resource');
    equal(item.metadata.version, undefined, 'its version');
    equal(item.metadata.owner, '', 'its owner');
  });
}
