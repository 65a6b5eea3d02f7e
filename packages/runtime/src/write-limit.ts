import type { Clock, Timer } from '@cosi-ts/state';

export interface WriteLimitOptions {
  /** How many writes a second there are in the long run. */
  readonly perSecond: number;
  /** How many there are at once after a while without any. Default: 1. */
  readonly burst?: number | undefined;
}

export interface ResolvedWriteLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Throws a `RangeError` that names the field. */
export function resolveWriteLimit({ perSecond, burst = 1 }: WriteLimitOptions): ResolvedWriteLimit {
  if (!Number.isFinite(perSecond) || perSecond <= 0)
    throw new RangeError(`writeLimit.perSecond cannot be ${perSecond}`);
  if (!Number.isInteger(burst) || burst < 1) throw new RangeError(`writeLimit.burst cannot be ${burst}`);
  return Object.freeze({ perSecond, burst });
}

interface Waiter {
  pass(): void;
}

/** A refill of less than this is the clock's rounding. */
const rounding = 1e-9;

/**
 * Lets so many pass in a second, first come, first served: a bucket that holds the burst and is refilled at the rate. Has
 * a timer while someone waits.
 */
export class WriteLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #waiters = new Set<Waiter>();
  #left: number;
  #refilledMs: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, options: WriteLimitOptions) {
    const { perSecond, burst } = resolveWriteLimit(options);
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#left = burst;
    this.#refilledMs = clock.monotonicMs();
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Resolves when it is one's turn. Rejects with the signal's reason, and takes nothing then. */
  pass(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const onAbort = () => {
        this.#waiters.delete(waiter);
        if (this.#waiters.size === 0) this.#disarm();
        reject(signal?.reason);
      };
      const waiter = {
        pass: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
      if (this.#timer === undefined) this.#serve();
    });
  }

  #serve(): void {
    this.#refill();
    for (const waiter of this.#waiters) {
      if (this.#left < 1 - rounding) {
        this.#arm();
        return;
      }
      this.#left -= 1;
      this.#waiters.delete(waiter);
      waiter.pass();
    }
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#refilledMs) / 1000) * this.#perSecond);
    this.#refilledMs = nowMs;
  }

  #arm(): void {
    const untilMs = ((1 - this.#left) / this.#perSecond) * 1000;
    this.#timer = this.#clock.schedule(untilMs, () => {
      this.#timer = undefined;
      this.#serve();
    });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
