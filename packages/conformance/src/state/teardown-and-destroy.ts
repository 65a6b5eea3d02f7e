import { check, equal, rejectsAs, rejectsWith, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';

export function teardownAndDestroyTests({ it, itIf, features }: StateSuite): void {
  const itShared = itIf(features.sharedTeardowns);

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

  itShared('S12: that someone else destroys it meanwhile is success', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const removing = t.started(t.state.teardownAndDestroy(t.at('a')));
    await t.state.watchFor(t.at('a'), { phases: ['tearingDown'] });
    await t.state.removeFinalizer(t.at('a'), 'f');
    await t.core.destroy(t.at('a')).catch((error: unknown) => {
      check((error as { code?: unknown }).code === 'not-found', `destroy may only be too late: ${error}`);
    });
    await t.within(removing, 'the end of teardownAndDestroy');
  });

  itShared('S12: a new life of the id that began meanwhile is left alone', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const removing = t.started(t.state.teardownAndDestroy(t.at('a')));
    const torn = await t.state.watchFor(t.at('a'), { phases: ['tearingDown'] });
    await t.change(torn, { finalizers: [] }, { expectedPhase: 'any' });
    await t.core.destroy(t.at('a')).catch(() => undefined);
    const again = await t.create('a', 2, { finalizers: ['f'] });
    await t.within(removing, 'the end of teardownAndDestroy');
    sameResource(await t.core.get(t.at('a')), again, 'the new life');
  });

  itShared('S12: several at once all succeed', async (t) => {
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
