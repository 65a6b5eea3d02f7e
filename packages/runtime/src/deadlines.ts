import type { Clock, Timer } from '@cosi-ts/state';

/** Work that must end within one and the same time; one timer for all of it. */
export class Deadlines<W> {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #onExpired: (work: W) => void;
  /** When each was begun: the oldest first. */
  readonly #begun = new Map<W, number>();
  #timer: Timer | undefined;

  constructor(clock: Clock, deadlineMs: number, onExpired: (work: W) => void) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#onExpired = onExpired;
  }

  begin(work: W, nowMs: number): void {
    this.#begun.set(work, nowMs);
    // A timer that is armed is left as it is when its work ends: work is shorter than it by far.
    this.#timer ??= this.#clock.schedule(this.#deadlineMs, () => this.#onTimer());
  }

  /** False when it has expired before. */
  end(work: W): boolean {
    return this.#begun.delete(work);
  }

  /** What has been begun and has neither ended nor expired. */
  [Symbol.iterator](): IterableIterator<W> {
    return this.#begun.keys();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #onTimer(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    for (const [work, beganMs] of this.#begun) {
      const leftMs = beganMs + this.#deadlineMs - nowMs;
      if (leftMs > 0) {
        this.#timer = this.#clock.schedule(leftMs, () => this.#onTimer());
        return;
      }
      this.#begun.delete(work);
      this.#onExpired(work);
    }
  }
}
