import { checkDelay, nextTurn, sleep, systemClock, type VirtualClock } from '@cosi-ts/state';

/** Work that waits neither for time nor for the outside is done after so many turns of the event loop. */
const settleTurns = 10;
/** While nothing waits for virtual time, it is looked again after so much of the host's. */
const outsideMs = 1;

/**
 * Lets virtual time pass from timer to timer until the promise has settled, and gives what it gives: for waiting for what
 * comes after a backoff or a requeue. Time passes only when nothing else goes on: what waits for the host, a disk or a
 * network, may see it pass early.
 *
 * @param options `maxMs`: how much virtual time passes at most; then the promise is waited for without. Default: 60 000
 */
export async function advanceUntil<T>(
  clock: VirtualClock,
  promise: Promise<T>,
  { maxMs = 60_000 }: { readonly maxMs?: number | undefined } = {},
): Promise<T> {
  let leftMs = checkDelay(maxMs);
  let settled = false;
  const onSettled = () => {
    settled = true;
  };
  promise.then(onSettled, onSettled);
  while (leftMs > 0) {
    for (let turn = 0; turn < settleTurns && !settled; turn++) await nextTurn();
    if (settled) break;
    const nextMs = clock.nextTimerInMs;
    if (nextMs === undefined) {
      await sleep(systemClock, outsideMs);
      continue;
    }
    const stepMs = Math.min(nextMs, leftMs);
    await clock.advance(stepMs);
    leftMs -= stepMs;
  }
  return promise;
}
