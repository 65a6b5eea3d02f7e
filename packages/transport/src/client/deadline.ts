import type { Subject } from '@cosi-ts/resource';
import type { Clock, Timer } from '@cosi-ts/state';
import { DeadlineExceededError } from './deadline-exceeded.js';

/** gRPC takes at most eight digits. */
const maxDigits = 99_999_999;

/** The end of the time that a call has. Must be stopped: the timer keeps the process running. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #atMs: number;
  readonly #timer: Timer;
  readonly #error: () => DeadlineExceededError;

  /** Throws a `RangeError` for a time that is none. */
  constructor(timeoutMs: number, clock: Clock, subject: Subject) {
    this.#error = () => new DeadlineExceededError(`the call took more than ${timeoutMs} ms`, { subject });
    this.#clock = clock;
    this.#atMs = clock.monotonicMs() + checkTime('timeoutMs', timeoutMs);
    this.#timer = clock.schedule(timeoutMs, () => this.#controller.abort(this.#error()));
  }

  /** Aborts with a {@link DeadlineExceededError} when the time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Throws when the time is up, also when the server noticed first: a Go server resets the stream then. */
  throwIfOver(): void {
    this.signal.throwIfAborted();
    if (this.#clock.monotonicMs() >= this.#atMs) throw this.#error();
  }

  stop(): void {
    this.#timer.cancel();
  }

  /** What is left, as the header `grpc-timeout`. */
  header(): string {
    const leftMs = Math.max(1, Math.ceil(this.#atMs - this.#clock.monotonicMs()));
    if (leftMs <= maxDigits) return `${leftMs}m`;
    const seconds = Math.ceil(leftMs / 1000);
    return seconds <= maxDigits ? `${seconds}S` : `${Math.min(maxDigits, Math.ceil(seconds / 3600))}H`;
  }
}

/** Gives the time back, or throws a `RangeError` that names the field. */
export function checkTime(field: string, ms: number): number {
  if (Number.isFinite(ms) && ms > 0) return ms;
  throw new RangeError(`${field} must be a number of milliseconds above 0, not ${ms}`);
}
