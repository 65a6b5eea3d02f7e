import { CosiError, hasCode, type Subject } from '@cosi-ts/resource';
import { checkDelay } from '@cosi-ts/state';

/** The work went well so far, and is to be looked at again after a while. */
export interface Requeue {
  readonly requeueAfterMs: number;
}

/** What a reconcile function may give: nothing when the work on the item is done. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement must do
export type ReconcileResult = Requeue | void;

/**
 * What `reconcile` returns to be called again for the item after so many milliseconds (negative: 0), or as soon as
 * something changes. It is no failure. Throws a `RangeError` for NaN and Infinity.
 */
export function requeueAfter(delayMs: number): Requeue {
  return Object.freeze({ requeueAfterMs: checkDelay(delayMs) });
}

/**
 * Thrown to be called again after so many milliseconds instead of after the backoff, where returning
 * {@link requeueAfter} is out of reach. With a cause it counts and is logged as a failure, without one it is none.
 */
export class RequeueError extends CosiError {
  readonly requeueAfterMs: number;

  constructor(delayMs: number, details: { readonly cause?: unknown; readonly message?: string } = {}) {
    const requeueAfterMs = checkDelay(delayMs);
    super('runtime/requeue', details.message ?? `to be looked at again after ${requeueAfterMs} ms`, details);
    this.requeueAfterMs = requeueAfterMs;
  }
}

/** Thrown when there is nothing to do for an item as it is now. Logged as skipped, counted apart from failures. */
export class SkipError extends CosiError {
  constructor(reason: string, details: { readonly subject?: Subject; readonly cause?: unknown } = {}) {
    super('runtime/skip', reason, details);
  }
}

/** One whose delay can be none is taken for any other error. */
export function isRequeue(error: unknown): error is RequeueError {
  return hasCode(error, 'runtime/requeue') && Number.isFinite((error as RequeueError).requeueAfterMs);
}

export function isSkip(error: unknown): error is SkipError {
  return hasCode(error, 'runtime/skip');
}
