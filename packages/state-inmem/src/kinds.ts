import type { Kind } from '@cosi-ts/resource';
import { Collection } from './collection.js';
import type { HistoryBounds } from './history.js';

/** The collections of a state, by namespace and type. */
export class Kinds {
  readonly #bounds: HistoryBounds;
  /** The position before the first event that can be in the histories. */
  readonly start: number;
  readonly #namespaces = new Map<string, Map<string, Collection>>();
  #size = 0;

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
    return this.#namespaces.get(kind.namespace)?.get(kind.type);
  }

  /** The collection, made when there is none. */
  of(kind: Kind): Collection {
    return this.get(kind) ?? this.#make(kind);
  }

  #make(kind: Kind): Collection {
    let types = this.#namespaces.get(kind.namespace);
    if (types === undefined) {
      types = new Map();
      this.#namespaces.set(kind.namespace, types);
    }
    const collection = new Collection(kind, this.#bounds, this.start);
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
