import { nextTurn } from '@cosi-ts/state';

/** So many are dealt with before the host has a turn. */
const chunkSize = 256;

/** Does the work for each in order, gives the host its turns, and ends with the signal's reason when that aborts. */
export async function inTurns<T>(
  all: readonly T[],
  signal: AbortSignal,
  work: (one: T) => Promise<void>,
): Promise<void> {
  for (const [i, one] of all.entries()) {
    if (i > 0 && i % chunkSize === 0) await nextTurn();
    signal.throwIfAborted();
    await work(one);
  }
}
