import { followAbort, UnavailableError } from '@cosi-ts/resource';
import type { BridgeSource, SourceContext } from './bridge-source.js';

type Open<T> = (signal: AbortSignal) => AsyncIterable<T> | Promise<AsyncIterable<T>>;

/**
 * The items of a stream. A function opens it, and opens it again after a backoff when it throws or ends, since streams
 * from elsewhere end when a connection does. An iterable that is given as it is can be gone through once: its end is the
 * end.
 *
 * Nothing is missed from when the function has resolved. The stream must end with its signal, or be such that it can be
 * left: its `return` is called, and not waited for when it does not answer.
 */
export function fromIterable<T>(stream: AsyncIterable<T> | Open<T>): BridgeSource<T> {
  return Object.freeze({
    listen: async (context: SourceContext<T>) => {
      const { signal } = context;
      if (signal.aborted) return;
      if (typeof stream !== 'function') return follow(stream, context);
      await follow(await stream(signal), context);
      if (!signal.aborted) throw new UnavailableError('the stream ended');
    },
  });
}

async function follow<T>(stream: AsyncIterable<T>, { signal, emit, live }: SourceContext<T>): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  let stop: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  const unfollow = followAbort(signal, stop);
  live();
  let ended = false;
  try {
    for (;;) {
      const next = iterator.next();
      // When the signal wins, nobody is left to see what becomes of it.
      next.catch(() => undefined);
      const result = await Promise.race([next, aborted]);
      if (result === undefined) return;
      ended = result.done === true;
      if (ended) return;
      emit(result.value);
    }
  } catch (error) {
    ended = true;
    throw error;
  } finally {
    unfollow();
    // A generator that waits for something queues its return behind that: it is not waited for.
    if (!ended) iterator.return?.().catch(() => undefined);
  }
}
