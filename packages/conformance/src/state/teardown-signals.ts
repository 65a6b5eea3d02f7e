import { OverrunError } from '@cosi-ts/resource';
import { type CoreState, createWatch, type Event, wrapState } from '@cosi-ts/state';
import { check, equal, rejectsAs, same } from '../assertions.js';
import { CountedAbort } from '../counted-abort.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

/** Waits until the signal has aborted. */
function aborted(t: StateTest, signal: AbortSignal): Promise<unknown> {
  const waiting = new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
  return t.within(waiting, 'the abort of the signal');
}

/** The core state, whose watches of one resource fail after their first event. */
function failing(core: CoreState, error: Error): CoreState {
  const view = Object.create(core) as CoreState;
  for (const name of ['get', 'list', 'create', 'update', 'destroy', 'watchKind', 'watchKindAggregated'] as const) {
    view[name] = (core[name] as (...args: unknown[]) => Promise<never>).bind(core);
  }
  view.watch = async (pointer, options) => {
    const watch = await core.watch(pointer, options);
    let failed = false;
    return createWatch<Event>({
      async pull() {
        if (failed) return { type: 'errored', error };
        failed = true;
        const result = await watch.next();
        return result.done === true ? undefined : result.value;
      },
      close: () => watch.close(),
    });
  };
  return view;
}

export function signalWithTeardownTests({ it, features }: StateSuite): void {
  it('S14: the signal aborts when the resource is torn down, and not before', async (t) => {
    const stored = await t.create('a');
    const signal = await t.state.signalWithTeardown(t.at('a'));
    const updated = await t.setValue(stored, 2);
    await t.state.watchFor(t.at('a'), { matches: (resource) => resource.spec.value === 2 });
    equal(signal.aborted, false, 'that it has aborted after an update');
    await t.change(updated, { phase: 'tearingDown' });
    check((await aborted(t, signal)) instanceof Error, 'the reason must be an error');
  });

  it('S14: the signal aborts when the resource is destroyed', async (t) => {
    await t.create('a');
    const signal = await t.state.signalWithTeardown(t.at('a'));
    await t.core.destroy(t.at('a'));
    await aborted(t, signal);
  });

  it('S14: the signal aborts at once when the resource is absent or tearing down', async (t) => {
    await t.create('b', 1, { phase: 'tearingDown' });
    await aborted(t, await t.state.signalWithTeardown(t.at('a')));
    await aborted(t, await t.state.signalWithTeardown(t.at('b')));
  });

  it('S14: the signal aborts with the parent, for its reason, and leaves nothing behind', async (t) => {
    const stored = await t.create('a');
    const parent = new CountedAbort();
    const signal = await t.state.signalWithTeardown(t.at('a'), { signal: parent.signal });
    const reason = new Error('enough');
    parent.abort(reason);
    same(await aborted(t, signal), reason, 'the reason');
    equal(parent.listeners, 0, 'the listeners on the parent');
    await t.setValue(stored, 2);
  });

  it('S14: after a teardown it listens to the parent no more', async (t) => {
    await t.create('a');
    const parent = new CountedAbort();
    const signal = await t.state.signalWithTeardown(t.at('a'), { signal: parent.signal });
    await t.state.teardown(t.at('a'));
    await aborted(t, signal);
    await t.eventually(() => equal(parent.listeners, 0, 'the listeners on the parent'));
  });

  it('S14: a parent that has aborted rejects the call', async (t) => {
    await t.create('a');
    const parent = new AbortController();
    const reason = new Error('enough');
    parent.abort(reason);
    await rejectsAs(t.state.signalWithTeardown(t.at('a'), { signal: parent.signal }), reason, 'the call');
  });

  if (features.openWatches) {
    it('S14: when the parent or the resource ends, no watch stays open', async (t) => {
      await t.create('a');
      const before = t.openWatches();
      const parent = new CountedAbort();
      const byParent = await t.state.signalWithTeardown(t.at('a'), { signal: parent.signal });
      const byTeardown = await t.state.signalWithTeardown(t.at('a'));
      parent.abort(new Error('enough'));
      await aborted(t, byParent);
      await t.state.teardown(t.at('a'));
      await aborted(t, byTeardown);
      await t.eventually(() => equal(t.openWatches(), before, 'the open watches'));
    });
  }

  it('S14, S13: when the watch fails, both end with its error', async (t) => {
    await t.create('a');
    const error = new OverrunError(t.kind, 1n, 9n, 4);
    const state = wrapState(failing(t.core, error));
    same(await aborted(t, await state.signalWithTeardown(t.at('a'))), error, 'the reason of the signal');
    await rejectsAs(state.watchFor(t.at('a'), { events: ['destroyed'] }), error, 'watchFor');
  });
}
