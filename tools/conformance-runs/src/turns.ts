import { setImmediate } from 'node:timers';
import { type Clock, checkDelay, systemClock, type Timer } from '@cosi-ts/state';

/**
 * A clock on which a millisecond is one turn of the event loop in which everything that was ready has run, for as long as
 * somebody waits. Backoffs and waiting in vain cost next to nothing on it, and are in the proportion that they should be.
 */
export class TurnsClock implements Clock, Disposable {
  readonly #timers = new Map<Timer, { readonly dueMs: number; readonly callback: () => void }>();
  #elapsedMs = 0;
  #turning = false;

  now() {
    return systemClock.now();
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const timer = { cancel: () => void this.#timers.delete(timer) };
    this.#timers.set(timer, { dueMs: this.#elapsedMs + Math.ceil(checkDelay(delayMs)), callback });
    this.#turn();
    return timer;
  }

  /** Whoever waits now waits in vain. */
  [Symbol.dispose](): void {
    this.#timers.clear();
  }

  #turn(): void {
    if (this.#turning || this.#timers.size === 0) return;
    this.#turning = true;
    setImmediate(() => {
      this.#turning = false;
      this.#elapsedMs++;
      for (const [timer, { dueMs, callback }] of [...this.#timers]) {
        if (dueMs > this.#elapsedMs || !this.#timers.delete(timer)) continue;
        callback();
      }
      this.#turn();
    });
  }
}
