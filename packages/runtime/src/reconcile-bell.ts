import { type Clock, checkDelay, createWatch, type Timer } from '@cosi-ts/state';
import type { ReconcileEvent } from './controller.js';
import type { Turns } from './turns.js';

/**
 * Tells a controller that something changed. It can be rung any number of times: whoever listens gets one event for all
 * that rang since the last. Until it is opened it only notes that it was rung.
 */
export class ReconcileBell {
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #onTaken: () => void;
  readonly #onDone: () => void;
  #rung = true;
  #isOpen = false;
  #busy = false;
  #wake: (() => void) | undefined;
  #delayed: { readonly dueMs: number; readonly timer: Timer } | undefined;

  /**
   * @param onTaken called for each event that is given
   * @param onDone called when what took an event asks for another one
   */
  constructor(clock: Clock, turns: Turns, onTaken: () => void, onDone: () => void = () => undefined) {
    this.#clock = clock;
    this.#turns = turns;
    this.#onTaken = onTaken;
    this.#onDone = onDone;
  }

  /** True when there is an event that nobody has taken yet. */
  get pending(): boolean {
    return this.#isOpen && this.#rung;
  }

  /** True while there is an event that is rung for later. */
  get waiting(): boolean {
    return this.#delayed !== undefined;
  }

  /** True while what took the last event has not asked for another one. */
  get busy(): boolean {
    return this.#busy;
  }

  ring(): void {
    this.#rung = true;
    if (this.#isOpen) this.#wake?.();
  }

  /** Rings after the delay, unless an event is taken before. Of several delays the shortest counts. */
  ringAfter(delayMs: number): void {
    const dueMs = this.#clock.monotonicMs() + checkDelay(delayMs);
    if (dueMs >= (this.#delayed?.dueMs ?? Number.POSITIVE_INFINITY)) return;
    this.#forgetDelay();
    const timer = this.#clock.schedule(delayMs, () => {
      this.#delayed = undefined;
      this.ring();
    });
    this.#delayed = { dueMs, timer };
  }

  open(): void {
    this.#isOpen = true;
    if (this.#rung) this.#wake?.();
  }

  /** Gives no more events, and leaves no timer. */
  close(): void {
    this.#isOpen = false;
    this.#forgetDelay();
  }

  /** The events until the signal aborts. One loop at a time can be over them. */
  events(signal: AbortSignal, attempt: () => number): AsyncIterable<ReconcileEvent> {
    return Object.freeze({ [Symbol.asyncIterator]: () => this.#listen(signal, attempt) });
  }

  #listen(signal: AbortSignal, attempt: () => number) {
    let mine: (() => void) | undefined;
    let closed = false;
    const rung = () => {
      if (this.#wake !== undefined) throw new TypeError('there are two loops over the reconcile events at once');
      return new Promise<void>((resolve) => {
        mine = () => {
          this.#wake = undefined;
          mine = undefined;
          resolve();
        };
        this.#wake = mine;
      });
    };
    return createWatch<ReconcileEvent>(
      {
        pull: async () => {
          this.#done();
          if (this.#turns.due()) await this.#turns.next();
          while (!closed && !this.pending) await rung();
          if (closed) return undefined;
          this.#take();
          return Object.freeze({ attempt: attempt() });
        },
        close: () => {
          closed = true;
          this.#busy = false;
          mine?.();
        },
      },
      signal,
    );
  }

  #take(): void {
    this.#rung = false;
    this.#busy = true;
    this.#forgetDelay();
    this.#onTaken();
  }

  #done(): void {
    if (!this.#busy) return;
    this.#busy = false;
    this.#onDone();
  }

  #forgetDelay(): void {
    this.#delayed?.timer.cancel();
    this.#delayed = undefined;
  }
}
