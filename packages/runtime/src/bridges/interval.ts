import { checkDelay, sleep } from '@cosi-ts/state';
import type { BridgeSource } from './bridge-source.js';

export interface IntervalOptions {
  /** Each pause is longer or shorter by up to this part of it, so that many do not come at once. Default: 0.1. */
  readonly jitter?: number | undefined;
}

/**
 * An event after every so many milliseconds, counted from the one before: a process that was held up gets one, not all
 * that it missed. Throws a `RangeError` for times that cannot be.
 */
export function interval(everyMs: number, { jitter = 0.1 }: IntervalOptions = {}): BridgeSource<void> {
  if (checkDelay(everyMs) === 0) throw new RangeError(`an interval of ${everyMs} ms leaves no time`);
  if (!(jitter >= 0 && jitter < 1)) throw new RangeError(`a jitter of ${jitter} cannot be`);
  return Object.freeze<BridgeSource<void>>({
    async listen({ signal, clock, random, live, emit }) {
      live();
      while (!signal.aborted) {
        await sleep(clock, everyMs * (1 + jitter * (2 * random.float() - 1)), signal);
        emit();
      }
    },
  });
}

/** One event after so many milliseconds. Throws a `RangeError` for NaN and Infinity. */
export function timer(delayMs: number): BridgeSource<void> {
  checkDelay(delayMs);
  return Object.freeze<BridgeSource<void>>({
    async listen({ signal, clock, live, emit }) {
      live();
      await sleep(clock, delayMs, signal);
      emit();
    },
  });
}
