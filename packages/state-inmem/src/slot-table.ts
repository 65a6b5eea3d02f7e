import { compareUtf8 } from '@cosi-ts/resource';
import type { Slot } from './slot.js';

/** So many of the loaded slots, or a quarter of them, may be gone before they are left out. */
const maxGone = 64;

/**
 * The slots of a kind by id. Those that a store gave in the order of their ids stay in an array, in which they are searched
 * for: to put a million of them into a map takes longer than to read them. What was found once is in a map from then on.
 */
export class SlotTable {
  #loaded: Slot[] = [];
  /** How many of those are gone. */
  #gone = 0;
  readonly #found = new Map<string, Slot>();
  readonly #added = new Map<string, Slot>();

  get size(): number {
    return this.#loaded.length - this.#gone + this.#added.size;
  }

  /** All of them in the order of ids, where a store has given them so and nothing has changed since. */
  get inOrder(): readonly Slot[] | undefined {
    return this.#loaded.length > 0 && this.#gone + this.#added.size === 0 ? this.#loaded : undefined;
  }

  get(id: string): Slot | undefined {
    const added = this.#added.get(id);
    if (added !== undefined || this.#loaded.length === 0) return added;
    const found = this.#found.get(id) ?? this.#search(id);
    return found?.gone === true ? undefined : found;
  }

  /** Adds what a store gave, before anything else is done. False when there is one of that id already. */
  load(slot: Slot): boolean {
    const last = this.#loaded.at(-1);
    if (last === undefined || compareUtf8(last.id, slot.id) < 0) {
      if (this.#added.size > 0 && this.#added.has(slot.id)) return false;
      this.#loaded.push(slot);
      return true;
    }
    if (this.get(slot.id) !== undefined) return false;
    this.#added.set(slot.id, slot);
    return true;
  }

  /** Adds one with an id that there is none of. */
  add(slot: Slot): void {
    this.#added.set(slot.id, slot);
  }

  remove(slot: Slot): void {
    slot.gone = true;
    if (this.#added.delete(slot.id)) return;
    this.#found.delete(slot.id);
    this.#gone++;
    if (this.#gone <= Math.max(maxGone, this.#loaded.length / 4)) return;
    this.#loaded = this.#loaded.filter(({ gone }) => !gone);
    this.#gone = 0;
  }

  *values(): Iterable<Slot> {
    for (const slot of this.#loaded) if (!slot.gone) yield slot;
    yield* this.#added.values();
  }

  #search(id: string): Slot | undefined {
    let from = 0;
    let to = this.#loaded.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const slot = this.#loaded[middle] as Slot;
      const order = compareUtf8(slot.id, id);
      if (order === 0) {
        this.#found.set(id, slot);
        return slot;
      }
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }
}
