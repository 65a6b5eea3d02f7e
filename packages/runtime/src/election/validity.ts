import type { Clock } from '@cosi-ts/state';

/** A moment, by both clocks of the host. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: Clock): Moment {
  const { seconds, nanos } = clock.now();
  return { monotonicMs: clock.monotonicMs(), wallMs: seconds * 1000 + nanos / 1_000_000 };
}

/**
 * How long ago the moment was, at least. The monotonic clock stands still while some hosts sleep, and others take over
 * meanwhile: then the wall clock knows better. That it can jump ahead ends a lease early, which does no harm.
 */
export function elapsedMs(clock: Clock, since: Moment): number {
  const now = momentOf(clock);
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}
