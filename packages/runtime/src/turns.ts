import { type Clock, nextTurn } from '@cosi-ts/state';

const minTurnMs = 1;
const maxTurnMs = 8;
const maxSteps = 512;

/**
 * Keeps work that awaits only promises from holding up the host: after a millisecond of it, or many steps, in one turn of
 * the event loop, all who take part wait for the next. Where the others take longer for their part of a turn, so may
 * those, up to a limit: a busy host does not starve them.
 */
export class Turns {
  readonly #clock: Clock;
  #steps = 0;
  #beganMs = 0;
  #turnMs = minTurnMs;
  /** When those who take part had to stop although there was more to do. */
  #stoppedMs: number | undefined;
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
    const isLast = this.#steps >= maxSteps;
    // Reading the clock costs as much as a short step.
    if (!isLast && this.#steps % 4 !== 0) return false;
    const nowMs = this.#clock.monotonicMs();
    if (!isLast && nowMs - this.#beganMs <= this.#turnMs) return false;
    this.#stoppedMs = nowMs;
    return true;
  }

  #begin(): void {
    const nowMs = this.#clock.monotonicMs();
    const othersMs = nowMs - (this.#stoppedMs ?? nowMs);
    this.#turnMs = Math.min(Math.max(othersMs, minTurnMs), maxTurnMs);
    this.#stoppedMs = undefined;
    this.#steps = 0;
    this.#isDue = false;
    this.#beganMs = nowMs;
    this.#turn = nextTurn().then(() => {
      this.#turn = undefined;
    });
  }
}
