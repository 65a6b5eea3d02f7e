import { followAbort } from '@cosi-ts/resource';

/**
 * The promise, unless the signal aborts first: then a rejection with the signal's reason. What the promise stands for
 * goes on.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const detach = followAbort(signal, reject);
    promise.then(resolve, reject).then(detach, detach);
  });
}
