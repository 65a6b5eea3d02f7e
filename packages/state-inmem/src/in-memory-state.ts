import {
  ClosedError,
  InvalidArgumentError,
  type Kind,
  NotFoundError,
  type Pointer,
  type Resource,
} from '@cosi-ts/resource';
import {
  type CallOptions,
  type Closable,
  type CoreState,
  type CreateOptions,
  type DestroyOptions,
  type Event,
  type GetOptions,
  givenKind,
  givenOptions,
  givenPointer,
  type ListOptions,
  type UpdateOptions,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
  type Write,
  type WriteOutcome,
  writeTogether,
} from '@cosi-ts/state';
import { abortable } from './abortable.js';
import type { BackingStore, StoreChange } from './backing-store.js';
import { creation, removal, replacement } from './changes.js';
import { noResources } from './collection.js';
import { Contents } from './contents.js';
import { registerInspector } from './internal.js';
import { type InMemoryOptions, type ResolvedInMemoryOptions, resolveInMemoryOptions } from './options.js';
import { resolveQueries } from './queries.js';
import { StateClock } from './state-clock.js';
import { WriteTurns } from './write-turns.js';

/** Decides on a change by what is stored. Throws what stands against it. */
type Decision<O> = (stored: Resource | undefined, options: O, pointer: Pointer) => StoreChange;

/**
 * A state that holds its resources in memory: for one process, for tests, and as what durable stores are put under.
 *
 * Without a store every operation happens within the call, before the promise is given back: the calls of a program
 * take effect in the order in which they are made. With a store, writes to different resources become visible in the
 * order in which they become durable.
 */
export class InMemoryState implements CoreState, Closable {
  readonly #namespace: string | undefined;
  readonly #options: ResolvedInMemoryOptions;
  readonly #store: BackingStore | undefined;
  readonly #clock: StateClock;
  readonly #turns = new WriteTurns();
  #contents: Contents | undefined;
  #loading: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** A state of all namespaces. */
  constructor(options?: InMemoryOptions);
  /** A state of one namespace: what concerns another one is refused as `invalid-argument`. Without a name, of all. */
  constructor(namespace: string | undefined, options?: InMemoryOptions);
  constructor(first?: string | InMemoryOptions, second?: InMemoryOptions) {
    this.#namespace = typeof first === 'string' ? first : undefined;
    this.#options = resolveInMemoryOptions(typeof first === 'object' ? first : second);
    this.#store = this.#options.store;
    this.#clock = new StateClock(this.#options.clock);
    if (this.#store === undefined) this.#contents = new Contents(this.#options, this.#clock);
    registerInspector(this, () => ({
      watches: this.#contents?.watching.size ?? 0,
      sleepers: this.#contents?.kinds.sleepers ?? 0,
      kinds: this.#contents?.kinds.size ?? 0,
    }));
  }

  async get(pointer: Pointer, options: GetOptions = {}): Promise<Resource> {
    const contents = this.#enter(pointer, options);
    if (contents === undefined) return this.#loaded(givenPointer(pointer), options, (at, given) => this.get(at, given));
    const resource = contents.get(pointer);
    if (resource === undefined) {
      throw new NotFoundError({ namespace: pointer.namespace, type: pointer.type, id: pointer.id });
    }
    return resource;
  }

  async list(kind: Kind, options: ListOptions = {}): Promise<readonly Resource[]> {
    const queries = resolveQueries(options);
    const contents = this.#enter(kind, options);
    if (contents === undefined) return this.#loaded(givenKind(kind), options, (of, given) => this.list(of, given));
    return contents.kinds.get(kind)?.list(queries) ?? noResources;
  }

  create(resource: Resource, options: CreateOptions = {}): Promise<Resource> {
    return this.#write(resource, options, (stored, given) => creation(stored, resource, given, this.#clock));
  }

  update(resource: Resource, options: UpdateOptions = {}): Promise<Resource> {
    return this.#write(resource, options, (stored, given) => replacement(stored, resource, given, this.#clock));
  }

  async destroy(pointer: Pointer, options: DestroyOptions = {}): Promise<void> {
    await this.#write(pointer, options, (stored, given, at) => removal(stored, at, given));
  }

  /** With a store, the writes are in progress together, so that it can make many durable in one go. */
  writeMany(writes: readonly Write[], options: CallOptions = {}): Promise<readonly WriteOutcome[]> {
    return writeTogether(this, writes, options);
  }

  async watch(pointer: Pointer, options: WatchOptions = {}): Promise<Watch<Event>> {
    const contents = this.#enter(pointer, options);
    if (contents !== undefined) return contents.watching.pointer(pointer, options);
    return this.#loaded(givenPointer(pointer), options, (at, given) => this.watch(at, given));
  }

  async watchKind(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<Event>> {
    const contents = this.#enter(kind, options);
    if (contents !== undefined) return contents.watching.kind(kind, options);
    return this.#loaded(givenKind(kind), options, (of, given) => this.watchKind(of, given));
  }

  async watchKindAggregated(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<readonly Event[]>> {
    const contents = this.#enter(kind, options);
    if (contents !== undefined) return contents.watching.kindAggregated(kind, options);
    return this.#loaded(givenKind(kind), options, (of, given) => this.watchKindAggregated(of, given));
  }

  /** Ends all watches with `done` and waits for writes in progress. The backing store stays open. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What the state holds, when the call may begin at once; undefined when it has to wait for the store. */
  #enter(subject: Kind, { signal }: CallOptions): Contents | undefined {
    if (this.#closing !== undefined) throw new ClosedError('the state is closed', { subject });
    signal?.throwIfAborted();
    if (this.#namespace !== undefined && subject.namespace !== this.#namespace) {
      const [mine, theirs] = [this.#namespace, subject.namespace].map((namespace) => JSON.stringify(namespace));
      throw new InvalidArgumentError(`this state holds namespace ${mine}, not ${theirs}`, { subject });
    }
    return this.#contents;
  }

  /** Makes the call when the store has loaded. */
  async #loaded<S extends Kind, O extends CallOptions, T>(
    subject: S,
    options: O,
    call: (subject: S, options: O) => Promise<T>,
  ): Promise<T> {
    const given = givenOptions(options);
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    await abortable(this.#loading, given.signal);
    return call(subject, given);
  }

  async #load(): Promise<void> {
    this.#contents = await Contents.load(this.#options, this.#store as BackingStore, this.#clock, this.#namespace);
  }

  #write<O extends CallOptions>(subject: Resource | Pointer, options: O, decide: Decision<O>): Promise<Resource> {
    try {
      const pointer = givenPointer('metadata' in subject ? subject.metadata : subject);
      const contents = this.#enter(pointer, options);
      if (contents === undefined) return this.#loaded(pointer, options, (at, given) => this.#write(at, given, decide));
      if (this.#store !== undefined) {
        const given = givenOptions(options);
        return abortable(this.#persist(this.#store, contents, pointer, given, decide), given.signal);
      }
      const change = decide(contents.get(pointer), options, pointer);
      contents.publish(change);
      return Promise.resolve(change.resource);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Writes to the store, and sees to it that it commits what it says it has written, and nothing else. */
  async #persist<O extends CallOptions>(
    store: BackingStore,
    contents: Contents,
    pointer: Pointer,
    options: O,
    decide: Decision<O>,
  ): Promise<Resource> {
    const turn = this.#turns.enter(pointer);
    if (turn !== undefined) await turn;
    try {
      options.signal?.throwIfAborted();
      const change = decide(contents.get(pointer), options, pointer);
      let committed = false;
      await store.write(change, (receipt) => {
        if (committed) throw new TypeError('the backing store committed a write twice');
        committed = true;
        contents.publish(change, receipt);
      });
      if (!committed) throw new TypeError('the backing store resolved a write without committing it');
      return change.resource;
    } finally {
      this.#turns.leave(pointer);
    }
  }

  async #close(): Promise<void> {
    await this.#contents?.watching.close();
    // A load that fails has told those who asked for it.
    await this.#loading?.catch(() => undefined);
    await this.#turns.idle();
  }
}
