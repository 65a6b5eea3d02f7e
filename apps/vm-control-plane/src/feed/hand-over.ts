/**
 * Hands items from several producers to one consumer, in the order in which they come. A producer waits while too many
 * are underway, so that a consumer which does not take any costs bounded memory.
 */
export class HandOver<T> {
  readonly #most: number;
  #items: T[] = [];
  #onItem: (() => void) | undefined;
  #onRoom: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when there is room for more. */
  async put(item: T): Promise<void> {
    this.#items.push(item);
    this.#onItem?.();
    while (this.#items.length >= this.#most) await new Promise<void>((resolve) => this.#onRoom.push(resolve));
  }

  /** All that is there, at least one. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<readonly T[]> {
    while (this.#items.length === 0) await this.#item(signal);
    const items = this.#items;
    this.#items = [];
    this.#makeRoom();
    return items;
  }

  /** Lets every producer go on, once the consumer is gone. */
  release(): void {
    this.#items = [];
    this.#makeRoom();
  }

  #makeRoom(): void {
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const go of waiting) go();
  }

  #item(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#onItem = undefined;
        reject(signal.reason);
      };
      this.#onItem = () => {
        this.#onItem = undefined;
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
