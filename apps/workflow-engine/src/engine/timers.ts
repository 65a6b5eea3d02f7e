interface Entry<T> {
  readonly atMs: number;
  readonly order: number;
  readonly what: T;
}

/** What is due when. Those due at the same time come in the order in which they were added. */
export class Timers<T> {
  readonly #heap: Entry<T>[] = [];
  #order = 0;

  /** When the next is due; undefined when there is none. */
  get nextMs(): number | undefined {
    return this.#heap[0]?.atMs;
  }

  add(atMs: number, what: T): void {
    const heap = this.#heap;
    const entry = { atMs, order: this.#order++, what };
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const above = heap[parent] as Entry<T>;
      if (!isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  /** Takes the earliest that is due; undefined when there is none. */
  take(nowMs: number): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.atMs > nowMs) return undefined;
    const last = heap.pop() as Entry<T>;
    if (heap.length > 0) this.#sink(last);
    return first.what;
  }

  #sink(entry: Entry<T>): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry<T>, heap[child] as Entry<T>)) child++;
      const below = heap[child] as Entry<T>;
      if (!isBefore(below, entry)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = entry;
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
