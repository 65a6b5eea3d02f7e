import { compareSlots, type Slot } from './slot.js';

/** Which slots a {@link SortedSlots} shows. */
export interface SlotSet {
  readonly size: number;
  has(slot: Slot): boolean;
  slots(): Iterable<Slot>;
}

/**
 * A set of slots in the byte order of their ids. Nothing is sorted until someone looks; from then on additions and
 * removals are gathered and merged in at the next look, in linear time, unless so many came that sorting anew is no
 * worse.
 */
export class SortedSlots {
  readonly #set: SlotSet;
  #sorted: readonly Slot[] | undefined;
  #added: Slot[] = [];
  #removed = 0;

  constructor(set: SlotSet) {
    this.#set = set;
  }

  /** To be told after a slot was added to the set. */
  added(slot: Slot): void {
    if (this.#sorted === undefined) return;
    this.#added.push(slot);
    if (this.#added.length > this.#sorted.length + 64) this.#forget();
  }

  /** To be told after a slot was removed from the set. */
  removed(): void {
    if (this.#sorted === undefined) return;
    this.#removed++;
    // It would hold on to what is gone as long as nobody looks.
    if (this.#removed > this.#sorted.length / 2 + 64) this.#forget();
  }

  view(): readonly Slot[] {
    if (this.#sorted === undefined) this.#sorted = [...this.#set.slots()].sort(compareSlots);
    else if (this.#added.length > 0 || this.#removed > 0) this.#sorted = this.#merged(this.#sorted);
    this.#added = [];
    this.#removed = 0;
    return this.#sorted;
  }

  #forget(): void {
    this.#sorted = undefined;
    this.#added = [];
    this.#removed = 0;
  }

  #merged(sorted: readonly Slot[]): Slot[] {
    // A slot that came and went since the last look is in the list of additions, but no longer in the set.
    const added = this.#added.filter((slot) => this.#set.has(slot)).sort(compareSlots);
    const merged: Slot[] = [];
    let at = 0;
    for (const slot of sorted) {
      if (this.#removed > 0 && !this.#set.has(slot)) continue;
      for (let next = added[at]; next !== undefined && compareSlots(next, slot) < 0; next = added[++at])
        merged.push(next);
      merged.push(slot);
    }
    return merged.concat(added.slice(at));
  }
}
