import type { Clock } from './clock.js';
import { followAbort } from './follow-abort.js';

/** The longest delay that host timers keep: beyond 2^31 − 1 ms they fire at once. */
export const maxHostDelayMs = 2 ** 31 - 1;

/** The delay with negative as 0. Throws a `RangeError` for NaN and Infinity. */
export function checkDelay(delayMs: number): number {
  if (!Number.isFinite(delayMs))
    throw new RangeError(`a delay must be a finite number of milliseconds, not ${delayMs}`);
  return Math.max(0, delayMs);
}

/** Resolves after the delay. Rejects with the signal's reason when that aborts first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const timer = clock.schedule(delayMs, () => {
      unfollow?.();
      resolve();
    });
    const unfollow =
      signal &&
      followAbort(signal, (reason) => {
        timer.cancel();
        reject(reason);
      });
  });
}
