import { pointerKey, type Resource } from '@cosi-ts/resource';
import type { BackingStore, Commit, StoreChange } from './backing-store.js';

/**
 * The smallest backing store: it keeps resources in memory for states that come after one another, as tests of restarts
 * want it. Authors of stores can begin with it. It has no event log.
 */
export class MemoryStore implements BackingStore {
  readonly #resources = new Map<string, Resource>();

  /** The part of this store that a state of that namespace is given. */
  namespace(name: string): BackingStore {
    return {
      load: () => this.#read(({ metadata }) => metadata.namespace === name),
      write: (change, commit) => this.write(change, commit),
    };
  }

  load(): AsyncIterable<readonly Resource[]> {
    return this.#read(() => true);
  }

  async *#read(wanted: (resource: Resource) => boolean): AsyncIterable<readonly Resource[]> {
    yield [...this.#resources.values()].filter(wanted);
  }

  async write(change: StoreChange, commit: Commit): Promise<void> {
    const { type, resource } = change;
    const key = pointerKey(resource.metadata);
    if (type === 'destroyed') this.#resources.delete(key);
    else this.#resources.set(key, resource);
    commit();
  }
}
