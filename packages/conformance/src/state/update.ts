import { isConflict, type Phase, type Resource, Timestamp } from '@cosi-ts/resource';
import { check, equal, rejectsWith, sameResource } from '../assertions.js';
import type { UpdateCheck } from '../features.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

const longAgo = Timestamp.parse('2001-02-03T04:05:06Z');
const codes = { owner: 'owner-conflict', version: 'version-conflict', phase: 'phase-conflict' } as const;

/** All ways in which one or more of the checks fail. */
const failures: readonly (readonly UpdateCheck[])[] = [
  ['owner'],
  ['version'],
  ['phase'],
  ['owner', 'version'],
  ['owner', 'phase'],
  ['version', 'phase'],
  ['owner', 'version', 'phase'],
];

/** An update that fails just these checks of a running resource of `me` in version 2. */
function failing(t: StateTest, stored: Resource, checks: readonly UpdateCheck[]): Promise<Resource> {
  const version = checks.includes('version') ? 1n : stored.metadata.version;
  return t.core.update(stored.withMetadata(stored.metadata.with({ version })), {
    owner: checks.includes('owner') ? 'someone' : 'me',
    expectedPhase: checks.includes('phase') ? 'tearingDown' : 'running',
  });
}

export function updateTests({ it, features }: StateSuite): void {
  it('S5: update gives back the stored resource with the next version', async (t) => {
    const first = await t.create('a', 1);
    const second = await t.setValue(first, 2);
    equal(second.metadata.version, 2n, 'the version after the first update');
    equal(t.valueOf(second), 2, 'the spec');
    sameResource(await t.core.get(t.at('a')), second, 'what is stored');
    equal((await t.setValue(second, 3)).metadata.version, 3n, 'the version after the second update');
  });

  it('S5: updated is set to now, whatever is sent', async (t) => {
    const first = await t.create('a');
    const second = await t.change(first, { updated: longAgo });
    check(second.metadata.updated.compare(first.metadata.updated) > 0, `updated is ${second.metadata.updated}`);
  });

  it('S5: created is kept from the stored resource, whatever is sent', async (t) => {
    const first = await t.create('a');
    const second = await t.change(first, { created: longAgo });
    equal(second.metadata.created, first.metadata.created, 'created in the answer');
    equal((await t.core.get(t.at('a'))).metadata.created, first.metadata.created, 'created as stored');
    const third = await t.setValue(second, 5);
    equal(third.metadata.created, first.metadata.created, 'created after another update');
  });

  it('S5, R5: owner, phase, finalizers, labels and annotations are stored as sent', async (t) => {
    const first = await t.create('a', 1, { finalizers: ['gone'], labels: { old: '1' }, annotations: { old: '1' } });
    const sent = {
      owner: 'new owner',
      phase: 'tearingDown',
      finalizers: ['c', 'a', 'b'],
      labels: { fresh: '2' },
      annotations: { fresh: '3' },
    } as const;
    await t.change(first, sent);
    const stored = (await t.core.get(t.at('a'))).metadata;
    equal(stored.owner, sent.owner, 'the owner');
    equal(stored.phase, sent.phase, 'the phase');
    equal(stored.finalizers, sent.finalizers, 'the finalizers, in their order');
    equal({ ...stored.labels }, sent.labels, 'the labels');
    equal({ ...stored.annotations }, sent.annotations, 'the annotations');
  });

  it('S5: finalizers, labels and annotations can be emptied', async (t) => {
    const first = await t.create('a', 1, { finalizers: ['f'], labels: { a: '1' }, annotations: { a: '1' } });
    const { metadata } = await t.change(first, { finalizers: [], labels: {}, annotations: {} });
    equal([metadata.finalizers, metadata.labels, metadata.annotations], [[], {}, {}], 'what is left');
  });

  it('S5: an update that changes nothing is written and makes an event', async (t) => {
    const first = await t.create('a');
    const reader = await t.watchKind();
    const second = await t.core.update(first);
    equal(second.metadata.version, 2n, 'the version');
    await reader.expect('updated a@2');
  });

  it('S5, S7: an update of what is absent is not-found and names the pointer', async (t) => {
    await t.create('other');
    const item = t.item('a');
    const sent = item.withMetadata(item.metadata.with({ version: 3n, owner: 'x', phase: 'tearingDown' }));
    await rejectsWith(t.core.update(sent, { owner: 'y' }), 'not-found', 'update of an absent resource', t.at('a'));
  });

  it('S5, S7: an update of what was destroyed is not-found', async (t) => {
    const stored = await t.create('a');
    await t.core.destroy(t.at('a'));
    await rejectsWith(t.core.update(stored), 'not-found', 'update after destroy', t.at('a'));
  });

  for (const checks of failures) {
    const [first] = features.updateChecks.filter((each) => checks.includes(each)) as [UpdateCheck];
    it(`S5: an update that fails ${checks.join(', ')} is a conflict of ${first}`, async (t) => {
      const stored = await t.setValue(await t.create('a', 1, { owner: 'me' }), 2);
      const reader = await t.watchKind();
      const error = await rejectsWith(failing(t, stored, checks), codes[first], 'the update', t.at('a'));
      check(isConflict(error), 'the error must be a conflict');
      sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
      await t.quiet(reader);
    });
  }

  it('S5: a version conflict names both versions', async (t) => {
    let stored = await t.create('a');
    const early = await t.setValue(stored, 0);
    stored = early;
    for (let value = 1; value < 12; value++) stored = await t.setValue(stored, value);
    const error = await rejectsWith(t.core.update(early), 'version-conflict', 'an update of version 2', t.at('a'));
    check(/\b2\b/.test(error.message) && /\b13\b/.test(error.message), `"${error.message}" must name 2 and 13`);
  });

  for (const version of [undefined, 0n, 2n, 100n]) {
    it(`S5: version ${version} is a conflict when version 1 is stored`, async (t) => {
      const stored = await t.create('a');
      const sent = stored.withMetadata(stored.metadata.with({ version }));
      await rejectsWith(t.core.update(sent), 'version-conflict', 'the update', t.at('a'));
    });
  }

  it('S5: a resource of nobody is not updated on behalf of somebody', async (t) => {
    const stored = await t.create('a');
    await rejectsWith(t.core.update(stored, { owner: 'me' }), 'owner-conflict', 'the update', t.at('a'));
  });

  it('S5: a resource of somebody is not updated on behalf of nobody', async (t) => {
    const stored = await t.create('a', 1, { owner: 'me' });
    await rejectsWith(t.core.update(stored), 'owner-conflict', 'the update', t.at('a'));
  });

  it('S5: the stored owner counts, not the one that is sent', async (t) => {
    const stored = await t.create('a', 1, { owner: 'me' });
    const sent = stored.withMetadata(stored.metadata.with({ owner: 'you' }));
    await rejectsWith(
      t.core.update(sent, { owner: 'you' }),
      'owner-conflict',
      'an update for the sent owner',
      t.at('a'),
    );
    equal((await t.core.update(sent, { owner: 'me' })).metadata.owner, 'you', 'the owner afterwards');
  });

  const phases: readonly [stored: Phase, expected: Phase | 'any' | undefined, passes: boolean][] = [
    ['running', undefined, true],
    ['running', 'running', true],
    ['running', 'any', true],
    ['running', 'tearingDown', false],
    ['tearingDown', undefined, false],
    ['tearingDown', 'running', false],
    ['tearingDown', 'any', true],
    ['tearingDown', 'tearingDown', true],
  ];
  for (const [phase, expectedPhase, passes] of phases) {
    it(`S5: ${phase} ${passes ? 'passes' : 'is a phase conflict'} when ${expectedPhase ?? 'nothing'} is expected`, async (t) => {
      const stored = await t.create('a', 1, { phase });
      const updating = t.core.update(stored, expectedPhase === undefined ? {} : { expectedPhase });
      if (passes) equal((await updating).metadata.version, 2n, 'the version');
      else await rejectsWith(updating, 'phase-conflict', 'the update', t.at('a'));
    });
  }

  it('S5: the stored phase is what is expected, not the one that is sent', async (t) => {
    const stored = await t.create('a');
    const torn = await t.change(stored, { phase: 'tearingDown' }, { expectedPhase: 'running' });
    equal(torn.metadata.phase, 'tearingDown', 'the phase');
    const back = await t.change(torn, { phase: 'running' }, { expectedPhase: 'tearingDown' });
    equal(back.metadata.phase, 'running', 'the phase');
  });

  it('S5: what is left from an earlier life of the id passes when the versions agree', async (t) => {
    const earlier = await t.create('a', 1);
    await t.core.destroy(t.at('a'));
    const present = await t.create('a', 2);
    const updated = await t.setValue(earlier, 3);
    equal(updated.metadata.version, 2n, 'the version');
    equal(updated.metadata.created, present.metadata.created, 'created, which is that of the present life');
  });

  it('S5: events and stored resources agree after many updates', async (t) => {
    let stored = await t.create('a', 0);
    const reader = await t.watchKind();
    const expected: string[] = [];
    for (let value = 1; value <= 20; value++) {
      stored = await t.setValue(stored, value);
      expected.push(`updated a@${value + 1}`);
    }
    const events = await reader.take(20);
    equal(events.map(eventText), expected, 'the events');
  });
}
