import { type Clock, checkDelay, systemClock } from '@cosi-ts/state';

export interface UntilOptions {
  /** How long to wait. Default: 5000. */
  readonly timeoutMs?: number | undefined;
  /** By which clock. Default: the host's; the time in which controllers live is another one, when that is a virtual clock. */
  readonly clock?: Clock | undefined;
  /** Ends the waiting, which rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResolvedUntilOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** Throws a `RangeError` for a time that cannot be. */
export function resolveUntilOptions({ timeoutMs = 5000, clock = systemClock, signal }: UntilOptions = {}) {
  return Object.freeze<ResolvedUntilOptions>({ timeoutMs: checkDelay(timeoutMs), clock, signal });
}
