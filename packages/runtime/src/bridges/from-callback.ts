import { followAbort } from '@cosi-ts/resource';
import type { BridgeSource, SourceContext } from './bridge-source.js';

/** Ends what was begun: removes listeners, closes handles. */
export type Stop = () => void | Promise<void>;

/**
 * Events of anything that calls back. `open` begins to listen and gives what ends it; `fail` says that the source broke,
 * upon which it is ended and opened again after a backoff.
 *
 * @example
 * fromCallback<string>((emit, fail) => {
 *   const socket = connect(address, { onMessage: emit, onError: fail });
 *   return () => socket.close();
 * });
 */
export function fromCallback<T>(
  open: (emit: (item: T) => void, fail: (error: unknown) => void, signal: AbortSignal) => Stop | Promise<Stop>,
): BridgeSource<T> {
  return Object.freeze({ listen: (context: SourceContext<T>) => listen(open, context) });
}

async function listen<T>(
  open: (emit: (item: T) => void, fail: (error: unknown) => void, signal: AbortSignal) => Stop | Promise<Stop>,
  { signal, emit, live }: SourceContext<T>,
): Promise<void> {
  if (signal.aborted) return;
  let end: () => void = () => undefined;
  let failure: { readonly error: unknown } | undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const fail = (error: unknown) => {
    failure ??= { error };
    end();
  };
  const unfollow = followAbort(signal, end);
  try {
    const stop = await open(emit, fail, signal);
    if (failure === undefined) live();
    await over;
    await stop();
  } finally {
    unfollow();
  }
  if (failure !== undefined) throw failure.error;
}
