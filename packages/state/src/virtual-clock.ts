import { type Clock, checkDelay, type Timer, Timestamp } from '@cosi-ts/resource';
import { nextTurn } from './turn.js';

/** A clock that stands still until it is told to advance. For tests of backoffs, requeues and leases. */
export class VirtualClock implements Clock {
  readonly #start: Timestamp;
  readonly #timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();
  #elapsedMs = 0;

  /** @param start what the wall clock shows at first; default: 2000-01-01T00:00:00Z */
  constructor(start: Timestamp = new Timestamp(946_684_800, 0)) {
    this.#start = start;
  }

  /** How many timers are armed. */
  get timers(): number {
    return this.#timers.size;
  }

  /** In how many milliseconds the next timer is due; undefined when none is armed. */
  get nextTimerInMs(): number | undefined {
    const next = this.#earliest();
    return next === undefined ? undefined : Math.max(0, next.dueMs - this.#elapsedMs);
  }

  now(): Timestamp {
    const nanos = this.#start.nanos + Math.round((this.#elapsedMs % 1000) * 1_000_000);
    const seconds = this.#start.seconds + Math.floor(this.#elapsedMs / 1000) + Math.floor(nanos / 1_000_000_000);
    return new Timestamp(seconds, nanos % 1_000_000_000);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const timer = { dueMs: this.#elapsedMs + checkDelay(delayMs), callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /**
   * Lets so many milliseconds pass. Timers fire one by one in the order of their times, and what each sets going can
   * arm others that fall within the time, if it needs no more than a few turns of the event loop for that.
   */
  async advance(durationMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + checkDelay(durationMs);
    await fewTurns();
    for (;;) {
      const next = this.#earliest();
      if (next === undefined || next.dueMs > untilMs) break;
      this.#timers.delete(next);
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.callback();
      await fewTurns();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, untilMs);
    await fewTurns();
  }

  #earliest() {
    let earliest: { readonly dueMs: number; readonly callback: () => void } | undefined;
    for (const timer of this.#timers) {
      if (earliest === undefined || timer.dueMs < earliest.dueMs) earliest = timer;
    }
    return earliest;
  }
}

async function fewTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await nextTurn();
}
