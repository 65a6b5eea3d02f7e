/**
 * The promise, unless the signal aborts first: then a rejection with the signal's reason. What the promise stands for
 * goes on.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const detach = () => signal.removeEventListener('abort', onAbort);
    promise.then(resolve, reject).then(detach, detach);
  });
}
