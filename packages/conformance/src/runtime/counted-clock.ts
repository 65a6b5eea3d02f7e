import type { Clock, Timer } from '@cosi-ts/state';

/** A clock that knows which timers are armed through it. */
export class CountedClock implements Clock {
  readonly #clock: Clock;
  readonly #armed = new Set<Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get timers(): number {
    return this.#armed.size;
  }

  now() {
    return this.#clock.now();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const inner = this.#clock.schedule(delayMs, () => {
      this.#armed.delete(timer);
      callback();
    });
    const timer: Timer = {
      cancel: () => {
        this.#armed.delete(timer);
        inner.cancel();
      },
    };
    this.#armed.add(timer);
    return timer;
  }
}
