import { WakeUp } from './wake-up.js';

/**
 * Hands items from several producers to one consumer, in the order in which they come. A producer waits while too many
 * are underway, so that a consumer which does not take any costs bounded memory.
 */
export class HandOver<T> {
  readonly #most: number;
  readonly #arrival = new WakeUp();
  #items: T[] = [];
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when there is room for more. */
  async put(item: T): Promise<void> {
    this.#items.push(item);
    this.#arrival.wake();
    while (this.#items.length >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** All that is there, at least one. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<readonly T[]> {
    while (this.#items.length === 0) await this.#arrival.wait(signal);
    return this.release();
  }

  /** Gives up what is there, and lets every producer go on. */
  release(): readonly T[] {
    const items = this.#items;
    const waiting = this.#waiting;
    this.#items = [];
    this.#waiting = [];
    for (const go of waiting) go();
    return items;
  }
}
