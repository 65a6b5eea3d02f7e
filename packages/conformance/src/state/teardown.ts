import { isTombstone } from '@cosi-ts/resource';
import { check, equal, rejectsAs, rejectsWith, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';

export function teardownTests({ it }: StateSuite): void {
  it('S10, S20: teardown of what is absent is not-found', async (t) => {
    await rejectsWith(t.state.teardown(t.at('a')), 'not-found', 'teardown', t.at('a'));
  });

  it('S10: teardown sets the phase, and says that nothing holds the resource', async (t) => {
    await t.create('a', 3, { labels: { x: 'y' } });
    const reader = await t.watchKind();
    equal(await t.state.teardown(t.at('a')), true, 'that there are no finalizers');
    const { metadata } = await t.core.get(t.at('a'));
    equal([metadata.phase, metadata.version], ['tearingDown', 2n], 'phase and version');
    equal({ ...metadata.labels }, { x: 'y' }, 'the labels');
    equal(t.valueOf(await t.core.get(t.at('a'))), 3, 'the spec');
    await reader.expect('updated a@2');
  });

  it('S10: teardown says that finalizers hold the resource', async (t) => {
    const stored = await t.create('a', 1, { finalizers: ['f', 'g'] });
    equal(await t.state.teardown(t.at('a')), false, 'that there are no finalizers');
    const { metadata } = await t.core.get(t.at('a'));
    equal(metadata.finalizers, stored.metadata.finalizers, 'the finalizers');
  });

  it('S10: teardown of what is tearing down changes nothing and answers', async (t) => {
    const stored = await t.create('a', 1, { phase: 'tearingDown', finalizers: ['f'] });
    const reader = await t.watchKind();
    equal(await t.state.teardown(t.at('a')), false, 'that there are no finalizers');
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    await t.change(stored, { finalizers: [] }, { expectedPhase: 'any' });
    equal(await t.state.teardown(t.at('a')), true, 'that there are no finalizers after they are gone');
    await reader.expect('updated a@2');
    await t.quiet(reader);
  });

  it('S10: teardown checks the owner', async (t) => {
    const stored = await t.create('a', 1, { owner: 'me' });
    await rejectsWith(t.state.teardown(t.at('a')), 'owner-conflict', 'teardown by nobody', t.at('a'));
    await rejectsWith(
      t.state.teardown(t.at('a'), { owner: 'you' }),
      'owner-conflict',
      'teardown by another',
      t.at('a'),
    );
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    equal(await t.state.teardown(t.at('a'), { owner: 'me' }), true, 'that there are no finalizers');
    equal((await t.core.get(t.at('a'))).metadata.owner, 'me', 'the owner');
  });

  it('S10: the owner is not checked when it is tearing down already', async (t) => {
    await t.create('a', 1, { owner: 'me', phase: 'tearingDown' });
    equal(await t.state.teardown(t.at('a'), { owner: 'you' }), true, 'what teardown by another answers');
    equal(await t.state.teardown(t.at('a')), true, 'what teardown by nobody answers');
  });

  it('S10: many teardowns at once succeed, and one of them writes', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const reader = await t.watchKind();
    const answers = await Promise.all(Array.from({ length: 10 }, () => t.state.teardown(t.at('a'))));
    equal(answers, Array(10).fill(false), 'the answers');
    await reader.expect('updated a@2');
    await t.quiet(reader);
  });

  it('S10: teardown goes through while others write', async (t) => {
    await t.create('a', 0);
    const writing = Array.from({ length: 10 }, () =>
      t.started(t.state.updateWithConflicts(t.at('a'), (draft) => void draft.spec.value++, { expectedPhase: 'any' })),
    );
    await Promise.all([...writing, t.state.teardown(t.at('a'))]);
    const stored = await t.core.get(t.at('a'));
    equal([stored.metadata.phase, t.valueOf(stored)], ['tearingDown', 10], 'phase and value');
  });
}

export function teardownAndDestroyTests({ it }: StateSuite): void {
  it('S12: teardownAndDestroy removes what nothing holds', async (t) => {
    await t.create('a');
    const reader = await t.watchKind();
    await t.state.teardownAndDestroy(t.at('a'));
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
    await reader.expect('updated a@2', 'destroyed a@2');
  });

  it('S12: teardownAndDestroy waits until the finalizers are empty', async (t) => {
    await t.create('a', 1, { finalizers: ['f', 'g'] });
    let done = false;
    const removing = t.started(
      t.state.teardownAndDestroy(t.at('a')).then(() => {
        done = true;
      }),
    );
    await t.state.watchFor(t.at('a'), { phases: ['tearingDown'] });
    await t.state.removeFinalizer(t.at('a'), 'f');
    const { metadata } = await t.core.get(t.at('a'));
    equal([metadata.phase, metadata.finalizers, done], ['tearingDown', ['g'], false], 'phase, finalizers and the end');
    await t.state.removeFinalizer(t.at('a'), 'g');
    await t.within(removing, 'the end of teardownAndDestroy');
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
  });

  it('S12: teardownAndDestroy goes on with what is tearing down already', async (t) => {
    await t.create('a', 1, { phase: 'tearingDown', finalizers: ['f'] });
    const removing = t.started(t.state.teardownAndDestroy(t.at('a')));
    await t.state.removeFinalizer(t.at('a'), 'f');
    await t.within(removing, 'the end of teardownAndDestroy');
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
  });

  it('S12: that someone else destroys it meanwhile is success', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const removing = t.started(t.state.teardownAndDestroy(t.at('a')));
    await t.state.watchFor(t.at('a'), { phases: ['tearingDown'] });
    await t.state.removeFinalizer(t.at('a'), 'f');
    await t.core.destroy(t.at('a')).catch((error: unknown) => {
      check((error as { code?: unknown }).code === 'not-found', `destroy may only be too late: ${error}`);
    });
    await t.within(removing, 'the end of teardownAndDestroy');
  });

  it('S12: a new life of the id that began meanwhile is left alone', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const removing = t.started(t.state.teardownAndDestroy(t.at('a')));
    const torn = await t.state.watchFor(t.at('a'), { phases: ['tearingDown'] });
    await t.change(torn, { finalizers: [] }, { expectedPhase: 'any' });
    await t.core.destroy(t.at('a')).catch(() => undefined);
    const again = await t.create('a', 2, { finalizers: ['f'] });
    await t.within(removing, 'the end of teardownAndDestroy');
    sameResource(await t.core.get(t.at('a')), again, 'the new life');
  });

  it('S12: several at once all succeed', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const removing = Array.from({ length: 4 }, () => t.started(t.state.teardownAndDestroy(t.at('a'))));
    await t.state.watchFor(t.at('a'), { phases: ['tearingDown'] });
    await t.state.removeFinalizer(t.at('a'), 'f');
    await t.within(Promise.all(removing), 'the end of all of them');
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
  });

  it('S12, S20: teardownAndDestroy of what is absent is not-found', async (t) => {
    await rejectsWith(t.state.teardownAndDestroy(t.at('a')), 'not-found', 'teardownAndDestroy', t.at('a'));
  });

  it('S12: teardownAndDestroy checks the owner', async (t) => {
    const stored = await t.create('a', 1, { owner: 'me' });
    await rejectsWith(t.state.teardownAndDestroy(t.at('a')), 'owner-conflict', 'the call by nobody', t.at('a'));
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    await t.state.teardownAndDestroy(t.at('a'), { owner: 'me' });
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
  });

  it('S12, S1: an abort ends the wait with its reason, and the resource stays', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const abort = new AbortController();
    const reason = new Error('enough');
    const removing = t.started(t.state.teardownAndDestroy(t.at('a'), { signal: abort.signal }));
    await t.state.watchFor(t.at('a'), { phases: ['tearingDown'] });
    abort.abort(reason);
    await rejectsAs(t.within(removing, 'the end of the aborted call'), reason, 'teardownAndDestroy');
    await t.state.removeFinalizer(t.at('a'), 'f');
    equal((await t.core.get(t.at('a'))).metadata.phase, 'tearingDown', 'the phase of what is left');
  });
}

export function watchForTests({ it, itKeeping }: StateSuite): void {
  it('S13: watchFor takes the present when it meets the condition', async (t) => {
    const stored = await t.create('a', 5);
    sameResource(await t.state.watchFor(t.at('a'), { events: ['created'] }), stored, 'the resource');
    sameResource(await t.state.watchFor(t.at('a'), { phases: ['running'] }), stored, 'the resource');
    sameResource(await t.state.watchFor(t.at('a'), {}), stored, 'the resource without a condition');
    const absent = await t.state.watchFor(t.at('b'), { events: ['destroyed'] });
    check(isTombstone(absent), 'what is absent must come as a tombstone');
  });

  it('S13: watchFor waits for an event of the given types', async (t) => {
    const stored = await t.create('a');
    const waiting = t.started(t.state.watchFor(t.at('a'), { events: ['updated', 'destroyed'] }));
    const updated = await t.setValue(stored, 2);
    sameResource(await t.within(waiting, 'watchFor'), updated, 'the resource');
  });

  itKeeping(8)('S13: watchFor waits for a phase', async (t) => {
    const stored = await t.create('a');
    const waiting = t.started(t.state.watchFor(t.at('a'), { phases: ['tearingDown'] }));
    const torn = await t.change(await t.setValue(stored, 2), { phase: 'tearingDown' });
    sameResource(await t.within(waiting, 'watchFor'), torn, 'the resource');
  });

  itKeeping(8)('S13: watchFor waits for the last finalizer to go', async (t) => {
    let stored = await t.create('a', 1, { finalizers: ['f', 'g'] });
    const waiting = t.started(t.state.watchFor(t.at('a'), { finalizersEmpty: true }));
    stored = await t.change(stored, { finalizers: ['g'] });
    stored = await t.change(stored, { finalizers: [] });
    sameResource(await t.within(waiting, 'watchFor'), stored, 'the resource');
  });

  itKeeping(8)('S13: watchFor waits for what a predicate says', async (t) => {
    let stored = await t.create('a', 0);
    const waiting = t.started(t.state.watchFor(t.at('a'), { matches: (resource) => resource.spec.value >= 3 }));
    for (let value = 1; value <= 3; value++) stored = await t.setValue(stored, value);
    sameResource(await t.within(waiting, 'watchFor'), stored, 'the resource');
  });

  itKeeping(8)('S13: all conditions must be met by one event', async (t) => {
    let stored = await t.create('a', 1, { finalizers: ['f'] });
    const waiting = t.started(
      t.state.watchFor(t.at('a'), {
        events: ['updated'],
        phases: ['tearingDown'],
        finalizersEmpty: true,
        matches: (resource) => resource.spec.value === 2,
      }),
    );
    stored = await t.change(stored, { phase: 'tearingDown' });
    stored = await t.change(t.withValue(stored, 2), { phase: 'running', finalizers: [] }, { expectedPhase: 'any' });
    stored = await t.change(t.withValue(stored, 3), { phase: 'tearingDown' });
    stored = await t.change(t.withValue(stored, 2), {}, { expectedPhase: 'any' });
    sameResource(await t.within(waiting, 'watchFor'), stored, 'the resource');
  });

  it('S13: no finalizers never matches a destroyed event', async (t) => {
    await t.create('a');
    const abort = new AbortController();
    const condition = { events: ['destroyed'], finalizersEmpty: true } as const;
    const never = t.started(t.state.watchFor(t.at('a'), condition, { signal: abort.signal }));
    const gone = t.started(t.state.watchFor(t.at('a'), { events: ['destroyed'] }));
    await t.core.destroy(t.at('a'));
    await t.within(gone, 'the destroyed event');
    await t.create('a');
    await t.state.watchFor(t.at('a'), { events: ['created'] });
    const reason = new Error('enough');
    abort.abort(reason);
    await rejectsAs(t.within(never, 'the end of watchFor'), reason, 'watchFor');
  });

  it('S13: a destroyed event brings the last state', async (t) => {
    const stored = await t.setValue(await t.create('a', 1), 2);
    const waiting = t.started(t.state.watchFor(t.at('a'), { events: ['destroyed'] }));
    await t.core.destroy(t.at('a'));
    sameResource(await t.within(waiting, 'watchFor'), stored, 'the resource');
  });

  it("S13: watchFor ends with the signal's reason", async (t) => {
    await t.create('a');
    const abort = new AbortController();
    const waiting = t.started(t.state.watchFor(t.at('a'), { events: ['destroyed'] }, { signal: abort.signal }));
    const reason = new Error('enough');
    abort.abort(reason);
    await rejectsAs(t.within(waiting, 'the end of watchFor'), reason, 'watchFor');
    await rejectsAs(t.state.watchFor(t.at('a'), {}, { signal: abort.signal }), reason, 'watchFor after the abort');
  });
}
