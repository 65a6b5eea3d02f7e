import { ClosedError, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
import { givenWrites, pointerOf, type Write, type WriteOutcome, writeMany } from './bulk.js';
import { type Closable, canClose, type TeardownAndDestroyOptions, type TeardownOptions } from './capabilities.js';
import type {
  CallOptions,
  CoreState,
  CreateOptions,
  DestroyOptions,
  GetOptions,
  ListOptions,
  UpdateOptions,
  WatchKindOptions,
  WatchOptions,
} from './core-state.js';
import type { Event } from './event.js';
import { givenKind, givenOptions, givenPointer } from './given.js';
import { teardown, teardownAndDestroy } from './teardown.js';
import type { Watch } from './watch.js';

/** Builds the store of one namespace. */
export type NamespaceBuilder = (namespace: string) => CoreState | Promise<CoreState>;

/**
 * Many stores behind one handle, one for each namespace, each built when it is first used. However many calls race, a
 * namespace is built once; a builder that fails is called again by the next call.
 */
export function namespaced(build: NamespaceBuilder): NamespacedState {
  return new NamespacedState(build);
}

export class NamespacedState implements CoreState, Closable {
  readonly #build: NamespaceBuilder;
  readonly #built = new Map<string, CoreState>();
  readonly #building = new Map<string, Promise<CoreState>>();
  #closing: Promise<void> | undefined;

  constructor(build: NamespaceBuilder) {
    this.#build = build;
  }

  /** The namespaces that have been used so far. */
  get namespaces(): readonly string[] {
    return [...this.#built.keys()];
  }

  async get(pointer: Pointer, options: GetOptions = {}): Promise<Resource> {
    const ready = this.#ready(pointer);
    if (ready !== undefined) return ready.get(pointer, options);
    return this.#in(givenPointer(pointer), options, (store, at, given) => store.get(at, given));
  }

  async list(kind: Kind, options: ListOptions = {}): Promise<readonly Resource[]> {
    return this.#in(givenKind(kind), options, (store, at, given) => store.list(at, given));
  }

  async create(resource: Resource, options: CreateOptions = {}): Promise<Resource> {
    return this.#in(resource.metadata, options, (store, _at, given) => store.create(resource, given));
  }

  async update(resource: Resource, options: UpdateOptions = {}): Promise<Resource> {
    return this.#in(resource.metadata, options, (store, _at, given) => store.update(resource, given));
  }

  async destroy(pointer: Pointer, options: DestroyOptions = {}): Promise<void> {
    return this.#in(givenPointer(pointer), options, (store, at, given) => store.destroy(at, given));
  }

  async watch(pointer: Pointer, options: WatchOptions = {}): Promise<Watch<Event>> {
    return this.#in(givenPointer(pointer), options, (store, at, given) => store.watch(at, given));
  }

  async watchKind(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<Event>> {
    return this.#in(givenKind(kind), options, (store, at, given) => store.watchKind(at, given));
  }

  async watchKindAggregated(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<readonly Event[]>> {
    return this.#in(givenKind(kind), options, (store, at, given) => store.watchKindAggregated(at, given));
  }

  /** Natively where the namespace's store can, else composed of its core operations. */
  async teardown(pointer: Pointer, options: TeardownOptions = {}): Promise<boolean> {
    return this.#in(givenPointer(pointer), options, teardown);
  }

  /** Natively where the namespace's store can, else composed of its core operations. */
  async teardownAndDestroy(pointer: Pointer, options: TeardownAndDestroyOptions = {}): Promise<void> {
    return this.#in(givenPointer(pointer), options, teardownAndDestroy);
  }

  /** All namespaces at once, each as its store can. When a store cannot be built, the writes to it fail. */
  async writeMany(writes: readonly Write[], options: CallOptions = {}): Promise<readonly WriteOutcome[]> {
    const [all, given] = [givenWrites(writes), givenOptions(options)];
    given.signal?.throwIfAborted();
    const parts = new Map<string, number[]>();
    for (const [i, each] of all.entries()) {
      const { namespace } = pointerOf(each);
      const places = parts.get(namespace);
      if (places === undefined) parts.set(namespace, [i]);
      else places.push(i);
    }
    const outcomes: WriteOutcome[] = [];
    const write = async ([namespace, places]: [string, number[]]) => {
      const part = places.map((i) => all[i] as Write);
      const results = await this.#in({ namespace, type: '' }, given, (store, _kind, calls) =>
        writeMany(store, part, calls),
      ).catch((reason: unknown) => part.map((): WriteOutcome => ({ status: 'rejected', reason })));
      for (const [at, i] of places.entries()) outcomes[i] = results[at] as WriteOutcome;
    };
    await Promise.all([...parts].map(write));
    return outcomes;
  }

  /** Closes every store that was built. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // A store that is being built was asked for before: it is closed too, or its failure has reached who asked.
    await Promise.allSettled(this.#building.values());
    const results = await Promise.allSettled(
      [...this.#built.values()].map((store) => (canClose(store) ? store.close() : undefined)),
    );
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (errors.length > 0) throw new AggregateError(errors, 'some namespaces could not be closed');
  }

  #ready(subject: Kind): CoreState | undefined {
    return this.#closing === undefined ? this.#built.get(subject.namespace) : undefined;
  }

  async #in<S extends Kind, O extends CallOptions, T>(
    subject: S,
    options: O,
    call: (store: CoreState, subject: S, options: O) => Promise<T>,
  ): Promise<T> {
    const given = givenOptions(options);
    return call(await this.#store(subject, given), subject, given);
  }

  async #store(subject: Kind, options: CallOptions): Promise<CoreState> {
    if (this.#closing !== undefined) throw new ClosedError('the state is closed', { subject });
    options.signal?.throwIfAborted();
    const { namespace } = subject;
    const built = this.#built.get(namespace);
    if (built !== undefined) return built;
    let building = this.#building.get(namespace);
    if (building === undefined) {
      building = this.#start(namespace);
      this.#building.set(namespace, building);
    }
    const store = await building;
    options.signal?.throwIfAborted();
    return store;
  }

  async #start(namespace: string): Promise<CoreState> {
    // The map of stores being built must hold this one before the builder runs: it may call back.
    await Promise.resolve();
    try {
      const store = await this.#build(namespace);
      this.#built.set(namespace, store);
      return store;
    } finally {
      this.#building.delete(namespace);
    }
  }
}
