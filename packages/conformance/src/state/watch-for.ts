import { isTombstone } from '@cosi-ts/resource';
import { check, rejectsAs, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';

export function watchForTests({ it, itKeeping, itIf, features }: StateSuite): void {
  it('S13: watchFor takes the present when it meets the condition', async (t) => {
    const stored = await t.create('a', 5);
    sameResource(await t.state.watchFor(t.at('a'), { events: ['created'] }), stored, 'the resource');
    sameResource(await t.state.watchFor(t.at('a'), { phases: ['running'] }), stored, 'the resource');
    sameResource(await t.state.watchFor(t.at('a'), {}), stored, 'the resource without a condition');
    const absent = await t.state.watchFor(t.at('b'), { events: ['destroyed'] });
    check(isTombstone(absent), 'what is absent must come as a tombstone');
  });

  itIf(features.callOrder)('S13: watchFor waits for an event of the given types', async (t) => {
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

  itIf(features.callOrder)('S13: a destroyed event brings the last state', async (t) => {
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
