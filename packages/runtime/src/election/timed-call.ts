import { followAbort, UnavailableError } from '@cosi-ts/resource';
import type { Clock } from '@cosi-ts/state';

/**
 * The result of a call of the state, given up on when it takes too long or the signal aborts: also one that ignores its
 * signal. What was given up on may still have its effect.
 */
export function timedCall<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const aborter = new AbortController();
    const giveUp = (reason: unknown) => {
      leave();
      reject(reason);
      aborter.abort(reason);
    };
    const timer = clock.schedule(timeoutMs, () =>
      giveUp(new UnavailableError(`the state has not answered for ${timeoutMs} ms`)),
    );
    const leave = () => {
      timer.cancel();
      unfollow();
    };
    const unfollow = followAbort(signal, giveUp);
    const settle = async () => {
      try {
        resolve(await call(aborter.signal));
      } catch (error) {
        reject(error);
      } finally {
        leave();
      }
    };
    void settle();
  });
}
