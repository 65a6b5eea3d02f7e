import {
  ClosedError,
  InvalidArgumentError,
  type Kind,
  NotFoundError,
  type Pointer,
  pointerKey,
  type Resource,
} from '@cosi-ts/resource';
import type {
  CallOptions,
  Closable,
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
import { abortable } from './abortable.js';
import type { BackingStore, Commit, StoreChange } from './backing-store.js';
import { creation, removal, replacement } from './changes.js';
import { noResources } from './collection.js';
import { Contents } from './contents.js';
import { registerInspector } from './internal.js';
import { type InMemoryOptions, type ResolvedInMemoryOptions, resolveInMemoryOptions } from './options.js';
import { resolveQueries } from './queries.js';
import { StateClock } from './state-clock.js';
import { WriteTurns } from './write-turns.js';

/** Decides on a change by what is stored. Throws what stands against it. */
type Decision = (stored: Resource | undefined) => StoreChange;

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
    const { kinds } = this.#enter(pointer, options) ?? (await this.#entered(pointer, options));
    const resource = kinds.get(pointer)?.get(pointer.id);
    if (resource === undefined) {
      throw new NotFoundError({ namespace: pointer.namespace, type: pointer.type, id: pointer.id });
    }
    return resource;
  }

  async list(kind: Kind, options: ListOptions = {}): Promise<readonly Resource[]> {
    const queries = resolveQueries(options);
    const { kinds } = this.#enter(kind, options) ?? (await this.#entered(kind, options));
    return kinds.get(kind)?.list(queries) ?? noResources;
  }

  create(resource: Resource, options: CreateOptions = {}): Promise<Resource> {
    return this.#write(resource, options, (stored) => creation(stored, resource, options, this.#clock));
  }

  update(resource: Resource, options: UpdateOptions = {}): Promise<Resource> {
    return this.#write(resource, options, (stored) => replacement(stored, resource, options, this.#clock));
  }

  async destroy(pointer: Pointer, options: DestroyOptions = {}): Promise<void> {
    await this.#write(pointer, options, (stored) => removal(stored, pointer, options));
  }

  async watch(pointer: Pointer, options: WatchOptions = {}): Promise<Watch<Event>> {
    const { watching } = this.#enter(pointer, options) ?? (await this.#entered(pointer, options));
    return watching.pointer(pointer, options);
  }

  async watchKind(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<Event>> {
    const { watching } = this.#enter(kind, options) ?? (await this.#entered(kind, options));
    return watching.kind(kind, options);
  }

  async watchKindAggregated(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<readonly Event[]>> {
    const { watching } = this.#enter(kind, options) ?? (await this.#entered(kind, options));
    return watching.kindAggregated(kind, options);
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

  /** The same after the store has loaded. */
  async #entered(subject: Kind, options: CallOptions): Promise<Contents> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    await abortable(this.#loading, options.signal);
    return this.#enter(subject, options) as Contents;
  }

  async #load(): Promise<void> {
    this.#contents = await Contents.load(this.#options, this.#store as BackingStore, this.#clock, this.#namespace);
  }

  async #write(subject: Resource | Pointer, options: CallOptions, decide: Decision): Promise<Resource> {
    const pointer = 'metadata' in subject ? subject.metadata : subject;
    const contents = this.#enter(pointer, options) ?? (await this.#entered(pointer, options));
    const store = this.#store;
    if (store === undefined) {
      const change = decide(contents.get(pointer));
      contents.publish(change);
      return change.resource;
    }
    const { signal } = options;
    const written = this.#turns.run(pointerKey(pointer), async () => {
      signal?.throwIfAborted();
      const change = decide(contents.get(pointer));
      await persist(store, change, (receipt) => contents.publish(change, receipt));
      return change.resource;
    });
    return abortable(written, signal);
  }

  async #close(): Promise<void> {
    await this.#contents?.watching.close();
    // A load that fails has told those who asked for it.
    await this.#loading?.catch(() => undefined);
    await this.#turns.idle();
  }
}

/** Writes to the store, and sees to it that it commits what it says it has written, and nothing else. */
async function persist(store: BackingStore, change: StoreChange, publish: Commit): Promise<void> {
  let committed = false;
  await store.write(change, (receipt) => {
    if (committed) throw new TypeError('the backing store committed a write twice');
    committed = true;
    publish(receipt);
  });
  if (!committed) throw new TypeError('the backing store resolved a write without committing it');
}
