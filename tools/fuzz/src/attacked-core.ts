import type { Kind, Pointer, Resource } from '@cosi-ts/resource';
import {
  type CoreState,
  type CreateOptions,
  createWatch,
  type DestroyOptions,
  type Event,
  type GetOptions,
  type ListOptions,
  type UpdateOptions,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
} from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';

/** The namespace of the client that must not notice anything. */
export const witnessNamespace = 'witness';

/**
 * What is served: the witness's namespace, and all others apart, so that what attackers left can be thrown away. Counts
 * the watches that hold something.
 */
export class AttackedCore implements CoreState {
  // A short history, so that the memory it takes is soon the same all the time.
  readonly #witness = new InMemoryState(witnessNamespace, { history: { maxEvents: 500 } });
  #others = new InMemoryState();
  watches = 0;

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
    return this.#counted(await this.#of(pointer).watch(pointer, options), options);
  }

  async watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch<Event>> {
    return this.#counted(await this.#of(kind).watchKind(kind, options), options);
  }

  async watchKindAggregated(kind: Kind, options?: WatchKindOptions): Promise<Watch<readonly Event[]>> {
    return this.#counted(await this.#of(kind).watchKindAggregated(kind, options), options);
  }

  #of({ namespace }: Kind): CoreState {
    return namespace === witnessNamespace ? this.#witness : this.#others;
  }

  #counted<T>(watch: Watch<T>, options: WatchOptions | undefined): Watch<T> {
    this.watches++;
    return createWatch<T>(
      {
        pull: async () => (await watch.next()).value,
        close: () => {
          this.watches--;
          return watch.close();
        },
      },
      options?.signal,
    );
  }
}
