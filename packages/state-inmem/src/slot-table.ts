import type { Resource } from '@cosi-ts/resource';
import type { StoredPage } from './backing-store.js';
import { LoadedSlots } from './loaded-slots.js';
import { Slot } from './slot.js';

/**
 * The slots of a kind by id: those that a store gave in the order of their ids, and the others in a map. What was found
 * among the first ones is in a map from then on.
 */
export class SlotTable {
  readonly #loaded = new LoadedSlots();
  readonly #found = new Map<string, Slot>();
  readonly #added = new Map<string, Slot>();

  get size(): number {
    return this.#loaded.size + this.#added.size;
  }

  get(id: string): Slot | undefined {
    const added = this.#added.get(id);
    if (added !== undefined || this.#loaded.size === 0) return added;
    return this.#found.get(id) ?? this.#find(id);
  }

  /** Takes up what a store gave, before anything else is done. False when there is one of that id already. */
  load(resource: Resource): boolean {
    const { id } = resource.metadata;
    if (this.#added.has(id)) return false;
    if (this.#loaded.push(resource)) return true;
    if (this.get(id) !== undefined) return false;
    this.#added.set(id, new Slot(resource, undefined));
    return true;
  }

  /** The same of a page. Gives a resource that is there already, if there is one. */
  loadPage(page: StoredPage): Resource | undefined {
    if (this.#added.size === 0 && this.#loaded.pushPage(page)) return undefined;
    for (const resource of page) if (!this.load(resource)) return resource;
    return undefined;
  }

  /** Adds one with an id that there is none of. */
  add(slot: Slot): void {
    this.#added.set(slot.id, slot);
  }

  remove(slot: Slot): void {
    slot.gone = true;
    if (this.#added.delete(slot.id)) return;
    this.#found.delete(slot.id);
    this.#loaded.remove(slot.id);
  }

  *values(): Iterable<Slot> {
    yield* this.#loaded.values();
    yield* this.#added.values();
  }

  #find(id: string): Slot | undefined {
    const slot = this.#loaded.find(id);
    if (slot !== undefined) this.#found.set(id, slot);
    return slot;
  }
}
