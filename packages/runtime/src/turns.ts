import { type Clock, nextTurn } from '@cosi-ts/state';

const maxTurnMs = 1;
const maxSteps = 512;

/**
 * Keeps work that awaits only promises from holding up the host: after a millisecond of it, or many steps, in one turn of
 * the event loop, all who take part wait for the next.
 */
export class Turns {
  readonly #clock: Clock;
  #steps = 0;
  #beganMs = 0;
  #isDue = false;
  /** Resolves at the end of the turn in which the last step was. */
  #turn: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asked before each step: true when it should wait for {@link next}. */
  due(): boolean {
    if (this.#turn === undefined) this.#begin();
    else if (!this.#isDue) this.#isDue = this.#isOver();
    return this.#isDue;
  }

  next(): Promise<void> {
    return this.#turn ?? nextTurn();
  }

  #isOver(): boolean {
    this.#steps++;
    if (this.#steps >= maxSteps) return true;
    // Reading the clock costs as much as a short step.
    return this.#steps % 4 === 0 && this.#clock.monotonicMs() - this.#beganMs > maxTurnMs;
  }

  #begin(): void {
    this.#steps = 0;
    this.#isDue = false;
    this.#beganMs = this.#clock.monotonicMs();
    this.#turn = nextTurn().then(() => {
      this.#turn = undefined;
    });
  }
}
