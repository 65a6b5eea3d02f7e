import { ClosedError, followAbort, type Phase, type Pointer, pointerText, type Resource } from '@cosi-ts/resource';
import type { CallOptions, CoreState } from './core-state.js';
import type { Event, EventType } from './event.js';

/** What an event must be; each condition given must hold. */
export interface WatchCondition<R extends Resource = Resource> {
  readonly events?: readonly Exclude<EventType, 'errored'>[] | undefined;
  readonly phases?: readonly Phase[] | undefined;
  /** The resource has no finalizers. Never true of a destroyed event. */
  readonly finalizersEmpty?: boolean | undefined;
  /** One that takes its time is waited for before the next event is looked at. What it throws ends the wait. */
  readonly matches?: ((resource: R) => boolean | Promise<boolean>) | undefined;
}

/**
 * Waits for one event that meets the condition, the present included, and gives its resource (of a destroyed one: its
 * last state, or a tombstone). Rejects with the watch's error, with the signal's reason, and with `closed` when the
 * watch ends.
 */
export async function watchFor<R extends Resource>(
  state: CoreState,
  pointer: Pointer,
  read: (event: Event) => Event<R>,
  condition: WatchCondition<R>,
  options: CallOptions,
): Promise<R> {
  const watch = await state.watch(pointer, options);
  try {
    for await (const raw of watch) {
      const event = read(raw);
      if (event.type === 'errored') throw event.error;
      const met = meets(event, condition);
      if (met === true || (met !== false && (await unlessAborted(met, options.signal)))) return event.resource as R;
    }
  } finally {
    await watch.close();
  }
  options.signal?.throwIfAborted();
  throw new ClosedError(`the watch of ${pointerText(pointer)} ended before the condition was met`, {
    subject: pointer,
  });
}

function meets<R extends Resource>(
  event: Exclude<Event<R>, { type: 'errored' }>,
  condition: WatchCondition<R>,
): boolean | Promise<boolean> {
  const { metadata } = event.resource;
  if (condition.events !== undefined && !condition.events.includes(event.type)) return false;
  if (condition.phases !== undefined && !condition.phases.includes(metadata.phase)) return false;
  if (condition.finalizersEmpty !== undefined) {
    const empty = event.type !== 'destroyed' && metadata.finalizers.length === 0;
    if (empty !== condition.finalizersEmpty) return false;
  }
  return condition.matches === undefined || condition.matches(event.resource as R);
}

/** The promise, or a rejection with the signal's reason when that aborts first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const unfollow = followAbort(signal, reject);
    promise.then(resolve, reject).finally(unfollow);
  });
}
