import type { Kind, Pointer, Resource } from '@cosi-ts/resource';
import type {
  CoreState,
  CreateOptions,
  DestroyOptions,
  Event,
  GetOptions,
  ListOptions,
  UpdateOptions,
  Watch,
  WatchKindOptions,
  WatchOptions,
} from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';

/** The namespace of the client that must not notice anything. */
export const witnessNamespace = 'witness';

/**
 * What is served: the witness's namespace, and all others apart, so that what attackers left can be thrown away.
 */
export class AttackedCore implements CoreState {
  // A short history, so that the memory it takes is soon the same all the time.
  readonly #witness = new InMemoryState(witnessNamespace, { history: { maxEvents: 500 } });
  #others = new InMemoryState();

  /** Throws away what is in all namespaces but the witness's. */
  async wipe(): Promise<void> {
    const before = this.#others;
    this.#others = new InMemoryState();
    await before.close();
  }

  async get(pointer: Pointer, options?: GetOptions): Promise<Resource> {
    return this.#of(pointer).get(pointer, options);
  }

  async list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]> {
    return this.#of(kind).list(kind, options);
  }

  async create(resource: Resource, options?: CreateOptions): Promise<Resource> {
    return this.#of(resource.metadata).create(resource, options);
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    return this.#of(resource.metadata).update(resource, options);
  }

  async destroy(pointer: Pointer, options?: DestroyOptions): Promise<void> {
    return this.#of(pointer).destroy(pointer, options);
  }

  async watch(pointer: Pointer, options?: WatchOptions): Promise<Watch<Event>> {
    return this.#of(pointer).watch(pointer, options);
  }

  async watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch<Event>> {
    return this.#of(kind).watchKind(kind, options);
  }

  async watchKindAggregated(kind: Kind, options?: WatchKindOptions): Promise<Watch<readonly Event[]>> {
    return this.#of(kind).watchKindAggregated(kind, options);
  }

  #of({ namespace }: Kind): CoreState {
    return namespace === witnessNamespace ? this.#witness : this.#others;
  }
}
