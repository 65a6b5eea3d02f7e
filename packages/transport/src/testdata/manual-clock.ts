import { Timestamp } from '@cosi-ts/resource';
import type { Clock, Timer } from '@cosi-ts/state';

interface Scheduled {
  readonly atMs: number;
  readonly callback: () => void;
}

/** Time that passes when it is told to. */
export class ManualClock implements Clock {
  readonly #timers = new Set<Scheduled>();
  #nowMs = 0;

  /** How many timers have neither fired nor been cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): Timestamp {
    return Timestamp.fromDate(new Date(this.#nowMs));
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const timer of [...this.#timers].filter(({ atMs }) => atMs <= this.#nowMs)) {
      if (this.#timers.delete(timer)) timer.callback();
    }
  }
}
