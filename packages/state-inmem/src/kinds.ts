import type { Kind } from '@cosi-ts/resource';
import { Collection } from './collection.js';
import type { HistoryBounds } from './history.js';
import { SlotTable } from './slot-table.js';

/** The collections of a state, by namespace and type. */
export class Kinds {
  readonly #bounds: HistoryBounds;
  /** The position before the first event that can be in the histories. */
  readonly start: number;
  readonly #namespaces = new Map<string, Map<string, Collection>>();
  #size = 0;
  #last: Collection | undefined;

  constructor(bounds: HistoryBounds, start: number) {
    this.#bounds = bounds;
    this.start = start;
  }

  /** How many kinds something is held for. */
  get size(): number {
    return this.#size;
  }

  /** The collection, if there is one: asking for a kind costs nothing. */
  get(kind: Kind): Collection | undefined {
    const { namespace, type } = kind;
    // Calls come in runs about one kind.
    const last = this.#last;
    if (last !== undefined && last.kind.type === type && last.kind.namespace === namespace) return last;
    const found = this.#namespaces.get(namespace)?.get(type);
    if (found !== undefined) this.#last = found;
    return found;
  }

  /** The collection, made when there is none. */
  of(kind: Kind): Collection {
    return this.get(kind) ?? this.add(kind, new SlotTable());
  }

  /** Makes the collection of a kind that has none, with what was there before any event. */
  add(kind: Kind, slots: SlotTable): Collection {
    let types = this.#namespaces.get(kind.namespace);
    if (types === undefined) {
      types = new Map();
      this.#namespaces.set(kind.namespace, types);
    }
    const collection = new Collection(kind, slots, this.#bounds, this.start);
    types.set(kind.type, collection);
    this.#size++;
    return collection;
  }

  /** Forgets the collection when it holds nothing and nobody watches it. A new one will be no different. */
  tidy(collection: Collection): void {
    if (!collection.idle) return;
    const { namespace, type } = collection.kind;
    const types = this.#namespaces.get(namespace);
    if (types?.get(type) !== collection) return;
    types.delete(type);
    if (this.#last === collection) this.#last = undefined;
    this.#size--;
    if (types.size === 0) this.#namespaces.delete(namespace);
  }

  /** How many watchers of kinds wait to be woken. */
  get sleepers(): number {
    let sum = 0;
    for (const types of this.#namespaces.values()) {
      for (const collection of types.values()) sum += collection.sleepers;
    }
    return sum;
  }
}
