import type { Timestamp } from '@cosi-ts/resource';
import type { Clock } from '@cosi-ts/state';

/** Times that are strictly increasing, whatever the clock does: a reading not above the last time becomes that plus 1 ns. */
export class StateClock {
  readonly #clock: Clock;
  #last: Timestamp | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): Timestamp {
    const now = this.#clock.now();
    this.#last = this.#last === undefined || now.compare(this.#last) > 0 ? now : this.#last.next();
    return this.#last;
  }

  /** Makes later times come after this one too. */
  observe(time: Timestamp): void {
    if (this.#last === undefined || time.compare(this.#last) > 0) this.#last = time;
  }
}
