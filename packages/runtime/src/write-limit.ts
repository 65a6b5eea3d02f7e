import { followAbort, type Pointer, type Resource } from '@cosi-ts/resource';
import {
  type Clock,
  type CoreState,
  type CreateOptions,
  canTeardown,
  type DestroyOptions,
  type TeardownCapable,
  type TeardownOptions,
  type Timer,
  type UpdateOptions,
} from '@cosi-ts/state';

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
      const waiter = {
        pass: () => {
          unfollow?.();
          resolve();
        },
      };
      const unfollow =
        signal &&
        followAbort(signal, (reason) => {
          this.#waiters.delete(waiter);
          if (this.#waiters.size === 0) this.#disarm();
          reject(reason);
        });
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

/**
 * The state, with writes that wait for the limit before anything else: while they do, nobody waits for them.
 *
 * @param onCall is called when a write is asked for
 */
export function limitedWrites(core: CoreState, limit: WriteLimit, onCall: () => unknown): CoreState {
  const waiting = async <T>(signal: AbortSignal | undefined, write: () => Promise<T>): Promise<T> => {
    onCall();
    await limit.pass(signal);
    return write();
  };
  const through: CoreState & Partial<TeardownCapable> = {
    get: core.get.bind(core),
    list: core.list.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
    create: (resource: Resource, options?: CreateOptions) =>
      waiting(options?.signal, () => core.create(resource, options)),
    update: (resource: Resource, options?: UpdateOptions) =>
      waiting(options?.signal, () => core.update(resource, options)),
    destroy: (pointer: Pointer, options?: DestroyOptions) =>
      waiting(options?.signal, () => core.destroy(pointer, options)),
  };
  if (canTeardown(core)) {
    through.teardown = (pointer: Pointer, options?: TeardownOptions) =>
      waiting(options?.signal, () => core.teardown(pointer, options));
  }
  return through;
}
