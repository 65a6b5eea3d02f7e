import { Heap } from './heap.js';

interface Entry<T> {
  readonly atMs: number;
  readonly order: number;
  readonly what: T;
}

/** What is due when. Those due at the same time come in the order in which they were added. */
export class Timers<T> {
  readonly #heap = new Heap<Entry<T>>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order));
  #order = 0;

  /** When the next is due; undefined when there is none. */
  get nextMs(): number | undefined {
    return this.#heap.first?.atMs;
  }

  add(atMs: number, what: T): void {
    this.#heap.push({ atMs, order: this.#order++, what });
  }

  /** Takes the earliest that is due; undefined when there is none. */
  take(nowMs: number): T | undefined {
    const { first } = this.#heap;
    return first === undefined || first.atMs > nowMs ? undefined : this.#heap.shift()?.what;
  }
}
