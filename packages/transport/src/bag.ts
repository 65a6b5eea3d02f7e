/** An item of a bag, to take it out with. */
export interface Held<T> {
  readonly item: T;
  /** Where it is; below 0 when it has been taken out. */
  at: number;
}

/**
 * Items that come and go, in no order. Does what a set does, for items that stay for as long as a call takes: the memory
 * that a set has grown out of goes on referring to what was in it, and so keeps alive, until memory is collected as a
 * whole, half of all calls with everything that they have.
 */
export class Bag<T> {
  readonly #held: Held<T>[] = [];

  get size(): number {
    return this.#held.length;
  }

  add(item: T): Held<T> {
    const held = { item, at: this.#held.length };
    this.#held.push(held);
    return held;
  }

  /** What has been taken out already is no matter. */
  remove(held: Held<T>): void {
    if (held.at < 0) return;
    const last = this.#held.pop() as Held<T>;
    if (last !== held) {
      this.#held[held.at] = last;
      last.at = held.at;
    }
    held.at = -1;
  }

  items(): T[] {
    return this.#held.map(({ item }) => item);
  }

  /** Takes all of them out. */
  clear(): T[] {
    for (const held of this.#held) held.at = -1;
    return this.#held.splice(0).map(({ item }) => item);
  }
}
