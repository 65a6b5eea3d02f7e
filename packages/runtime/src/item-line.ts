interface Linked<I> {
  previous: I | undefined;
  next: I | undefined;
}

/** First in, first out, and out of the middle; an item is in one line at most. */
export class ItemLine<I extends Linked<I>> {
  #first: I | undefined;
  #last: I | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: I): void {
    item.previous = this.#last;
    item.next = undefined;
    if (this.#last === undefined) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    this.#length++;
  }

  shift(): I | undefined {
    const item = this.#first;
    if (item !== undefined) this.remove(item);
    return item;
  }

  /** The item must be in this line. */
  remove(item: I): void {
    const { previous, next } = item;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    item.previous = undefined;
    item.next = undefined;
    this.#length--;
  }
}
