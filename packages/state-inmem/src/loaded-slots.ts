import { compareUtf8, type Resource } from '@cosi-ts/resource';
import type { StoredPage } from './backing-store.js';
import { Slot } from './slot.js';

/**
 * What a store gave in the order of ids, searched by halving: to put a million slots into a map takes longer than to read
 * them. The slots of pages are made when someone asks for them.
 */
export class LoadedSlots {
  #ids: string[] = [];
  #slots: (Slot | undefined)[] = [];
  // Where those come from that nobody has asked for yet.
  #pages: (StoredPage | undefined)[] = [];
  #numbers: number[] = [];

  get size(): number {
    return this.#ids.length;
  }

  /** Adds a resource at the end. False, and nothing happens, when that is not its place. */
  push(resource: Resource): boolean {
    const { id } = resource.metadata;
    if (!this.#isLast(id)) return false;
    this.#add(id, new Slot(resource, undefined), undefined, 0);
    return true;
  }

  /** Adds a page at the end. False, and nothing happens, when that is not its place, or it is out of order itself. */
  pushPage(page: StoredPage): boolean {
    const { ids } = page;
    const [first] = ids;
    if (first !== undefined && !this.#isLast(first)) return false;
    for (let i = 1; i < ids.length; i++) if (compareUtf8(ids[i - 1] as string, ids[i] as string) >= 0) return false;
    for (let i = 0; i < ids.length; i++) this.#add(ids[i] as string, undefined, page, i);
    return true;
  }

  find(id: string): Slot | undefined {
    let from = 0;
    let to = this.#ids.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = compareUtf8(this.#ids[middle] as string, id);
      if (order === 0) return this.#slot(middle);
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }

  /** All of them, in their order. */
  *values(): Iterable<Slot> {
    for (let i = 0; i < this.#ids.length; i++) yield this.#slot(i);
  }

  /** Leaves out those whose resources have been destroyed. */
  tidy(): void {
    const ids = this.#ids;
    const slots = this.#slots;
    const pages = this.#pages;
    const numbers = this.#numbers;
    this.#ids = [];
    this.#slots = [];
    this.#pages = [];
    this.#numbers = [];
    for (const [i, id] of ids.entries()) {
      if (slots[i]?.gone !== true) this.#add(id, slots[i], pages[i], numbers[i] as number);
    }
  }

  #isLast(id: string): boolean {
    const last = this.#ids.at(-1);
    return last === undefined || compareUtf8(last, id) < 0;
  }

  #add(id: string, slot: Slot | undefined, page: StoredPage | undefined, number: number): void {
    this.#ids.push(id);
    this.#slots.push(slot);
    this.#pages.push(page);
    this.#numbers.push(number);
  }

  #slot(at: number): Slot {
    const made = this.#slots[at];
    if (made !== undefined) return made;
    const slot = new Slot((this.#pages[at] as StoredPage).take(this.#numbers[at] as number), undefined);
    this.#slots[at] = slot;
    this.#pages[at] = undefined;
    return slot;
  }
}
