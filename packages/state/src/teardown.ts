import {
  ClosedError,
  isNotFound,
  isPendingFinalizers,
  isVersionConflict,
  type Pointer,
  pointerText,
} from '@cosi-ts/resource';
import {
  canTeardown,
  canTeardownAndDestroy,
  type TeardownAndDestroyOptions,
  type TeardownOptions,
} from './capabilities.js';
import { callOptions } from './changes.js';
import type { CallOptions, CoreState } from './core-state.js';
import { givenOptions, givenPointer } from './given.js';
import { watchFor } from './watch-for.js';

/** Marks the resource as tearing down, natively where the state can; true when it has no finalizers. */
export async function teardown(state: CoreState, pointer: Pointer, options: TeardownOptions = {}): Promise<boolean> {
  if (canTeardown(state)) return state.teardown(pointer, options);
  const [at, given] = [givenPointer(pointer), givenOptions(options)];
  for (;;) {
    const stored = await state.get(at, callOptions(given));
    const { metadata } = stored;
    if (metadata.phase === 'tearingDown') return metadata.finalizers.length === 0;
    const marked = stored.withMetadata(metadata.with({ phase: 'tearingDown' }));
    try {
      const torn = await state.update(marked, { ...given, expectedPhase: 'any' });
      return torn.metadata.finalizers.length === 0;
    } catch (error) {
      if (!isVersionConflict(error)) throw error;
    }
  }
}

/** Tears down, waits for the last finalizer to go, and destroys. That someone else destroys it meanwhile is success. */
export async function teardownAndDestroy(
  state: CoreState,
  pointer: Pointer,
  options: TeardownAndDestroyOptions = {},
): Promise<void> {
  if (canTeardownAndDestroy(state)) return state.teardownAndDestroy(pointer, options);
  const [at, given] = [givenPointer(pointer), givenOptions(options)];
  const ready = await teardown(state, at, given);
  if (ready && (await destroyed(state, at, given))) return;
  do {
    const last = await watchFor(
      state,
      at,
      (event) => event,
      { matches: (resource) => resource.metadata.finalizers.length === 0 || resource.metadata.phase === 'running' },
      callOptions(given),
    );
    // A running resource here is a new life of the id: the one that was torn down is gone.
    if (last.metadata.phase === 'running') return;
  } while (!(await destroyed(state, at, given)));
}

/** False when a finalizer came in between. */
async function destroyed(state: CoreState, pointer: Pointer, options: TeardownAndDestroyOptions): Promise<boolean> {
  await options.beforeDestroy?.();
  try {
    await state.destroy(pointer, options);
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isPendingFinalizers(error)) return false;
    throw error;
  }
}

/**
 * A signal that aborts when the resource is torn down or destroyed (at once when it is already), when the watch fails,
 * and when the parent signal aborts, with the parent's reason.
 */
export async function signalWithTeardown(
  state: CoreState,
  pointer: Pointer,
  options: CallOptions = {},
): Promise<AbortSignal> {
  const controller = new AbortController();
  const [at, { signal }] = [givenPointer(pointer), options];
  const watch = await state.watch(pointer, options);
  const follow = async () => {
    try {
      for await (const event of watch) {
        if (event.type === 'errored') throw event.error;
        if (event.type === 'destroyed' || event.resource.metadata.phase === 'tearingDown') {
          throw new ClosedError(`resource ${pointerText(at)} is torn down`, { subject: at });
        }
      }
      controller.abort(signal?.aborted === true ? signal.reason : ended(at));
    } catch (reason) {
      controller.abort(reason);
    }
  };
  void follow();
  return controller.signal;
}

function ended(pointer: Pointer): ClosedError {
  return new ClosedError(`the watch of ${pointerText(pointer)} ended`, { subject: pointer });
}
