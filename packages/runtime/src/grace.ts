import type { Clock } from '@cosi-ts/state';

/** Waits until the promise settles, but no longer than the time. True when it did. Leaves no timer. */
export async function settlesWithin(clock: Clock, timeMs: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.schedule(timeMs, () => resolve(false));
    const settled = () => {
      timer.cancel();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}
