import { type Clock, nextTurn } from '@cosi-ts/state';

const maxTurnMs = 1;
const maxSteps = 512;

/**
 * Keeps work that awaits only promises from holding up the host: after some milliseconds of it, or many steps, all who
 * take part wait for one turn of the event loop.
 */
export class Turns {
  readonly #clock: Clock;
  #steps = 0;
  #beganMs: number;
  #turn: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
  }

  /** Asked before each step: true when it should wait for {@link next}. */
  due(): boolean {
    if (this.#turn !== undefined) return true;
    this.#steps++;
    if (this.#steps >= maxSteps) return true;
    // Reading the clock costs as much as a short step.
    return this.#steps % 4 === 0 && this.#clock.monotonicMs() - this.#beganMs > maxTurnMs;
  }

  next(): Promise<void> {
    this.#turn ??= this.#wait();
    return this.#turn;
  }

  async #wait(): Promise<void> {
    await nextTurn();
    this.#turn = undefined;
    this.#steps = 0;
    this.#beganMs = this.#clock.monotonicMs();
  }
}
