import { followAbort } from '@cosi-ts/resource';

/** The promise's outcome, or a rejection with the signal's reason when that aborts first. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let unfollow: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    unfollow = followAbort(signal, reject);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    unfollow?.();
  }
}
