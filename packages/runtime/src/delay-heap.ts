interface Delayed {
  /** When it is due, in milliseconds of the monotonic clock. */
  dueMs: number;
  /** Decides between items that are due at the same time. */
  order: number;
  /** Kept by the heap: where the item is, -1 outside. */
  heapIndex: number;
}

/** Items by the time at which they are due; an item can be taken out wherever it is, in logarithmic time. */
export class DelayHeap<I extends Delayed> {
  readonly #items: I[] = [];
  #order = 0;

  get length(): number {
    return this.#items.length;
  }

  get earliest(): I | undefined {
    return this.#items[0];
  }

  /** The item must not be in the heap. */
  push(item: I, dueMs: number): void {
    item.dueMs = dueMs;
    item.order = this.#order++;
    this.#rise(item, this.#items.length);
  }

  /** The item must be in the heap. */
  remove(item: I): void {
    const at = item.heapIndex;
    const last = this.#items.pop() as I;
    item.heapIndex = -1;
    if (last === item) return;
    const parent = this.#items[(at - 1) >> 1];
    if (at > 0 && parent !== undefined && before(last, parent)) this.#rise(last, at);
    else this.#sink(last, at);
  }

  #rise(item: I, from: number): void {
    const items = this.#items;
    let at = from;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = items[parentAt] as I;
      if (!before(item, parent)) break;
      items[at] = parent;
      parent.heapIndex = at;
      at = parentAt;
    }
    items[at] = item;
    item.heapIndex = at;
  }

  #sink(item: I, from: number): void {
    const items = this.#items;
    let at = from;
    for (;;) {
      let childAt = 2 * at + 1;
      let child = items[childAt];
      if (child === undefined) break;
      const right = items[childAt + 1];
      if (right !== undefined && before(right, child)) {
        child = right;
        childAt++;
      }
      if (!before(child, item)) break;
      items[at] = child;
      child.heapIndex = at;
      at = childAt;
    }
    items[at] = item;
    item.heapIndex = at;
  }
}

function before(a: Delayed, b: Delayed): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
