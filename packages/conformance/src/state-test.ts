import type {
  Kind,
  MetadataChanges,
  NewResourceMetadata,
  Pointer,
  Resource,
  TypedPointer,
  TypedResource,
} from '@cosi-ts/resource';
import {
  type CoreState,
  type State,
  type UpdateOptions,
  type WatchKindOptions,
  type WatchOptions,
  wrapState,
} from '@cosi-ts/state';
import { check, sameResources } from './assertions.js';
import { type Deadline, within } from './deadline.js';
import { EventReader, type ReaderOptions } from './event-reader.js';
import { type ItemSpec, Items, itemOf } from './items.js';
import { disposeSubject, type StateFactory, type StateUnderTest } from './subject.js';

export type KindWatchOptions = WatchKindOptions & ReaderOptions & { readonly kind?: Kind };
export type OneWatchOptions = WatchOptions & ReaderOptions;

/** What a test works with: a fresh state, and short ways to do what most tests do. */
export class StateTest {
  readonly core: CoreState;
  readonly state: State;
  readonly deadline: Deadline;
  readonly kind = Items.kind;
  readonly #subject: StateUnderTest;
  readonly #factory: StateFactory;
  readonly #cleanups: (() => void | Promise<void>)[] = [];
  #markers = 0;

  constructor(subject: StateUnderTest, factory: StateFactory, deadline: Deadline) {
    this.#subject = subject;
    this.#factory = factory;
    this.core = subject.state;
    this.state = subject.wrapped ?? wrapState(subject.state);
    this.deadline = deadline;
    this.#cleanups.push(() => disposeSubject(subject));
  }

  /** Runs at the end of the test, the last one first. */
  cleanup(action: () => void | Promise<void>): void {
    this.#cleanups.push(action);
  }

  async end(): Promise<void> {
    for (let cleanup = this.#cleanups.pop(); cleanup !== undefined; cleanup = this.#cleanups.pop()) await cleanup();
  }

  /** Another fresh state of the same make. */
  async stranger(): Promise<CoreState> {
    const subject = await (this.#subject.stranger ?? this.#factory)();
    this.cleanup(() => disposeSubject(subject));
    return subject.state;
  }

  /** How many watches hold something inside. */
  openWatches(): number {
    const count = this.#subject.openWatches;
    check(count !== undefined, 'the factory must give openWatches, as the features say');
    return count();
  }

  at(id: string): TypedPointer<ItemSpec> {
    return Items.at(id);
  }

  /** A resource that is not stored yet. */
  item(id: string, value = 1, metadata: NewResourceMetadata = {}): TypedResource<ItemSpec> {
    return Items.new(id, { value }, metadata);
  }

  /** Creates an item owned by the owner in its metadata. */
  create(id: string, value = 1, metadata: NewResourceMetadata = {}): Promise<Resource> {
    return this.core.create(this.item(id, value, metadata), { owner: metadata.owner });
  }

  /** Writes other metadata over a snapshot. */
  change(stored: Resource, changes: MetadataChanges, options: UpdateOptions = {}): Promise<Resource> {
    return this.core.update(stored.withMetadata(stored.metadata.with(changes)), {
      owner: stored.metadata.owner,
      ...options,
    });
  }

  /** The stored snapshot with another spec. */
  withValue(stored: Resource, value: number): TypedResource<ItemSpec> {
    return Items.new(stored.metadata.id, { value }).withMetadata(stored.metadata);
  }

  /** Writes another spec over a snapshot. */
  setValue(stored: Resource, value: number, options: UpdateOptions = {}): Promise<Resource> {
    return this.core.update(this.withValue(stored, value), { owner: stored.metadata.owner, ...options });
  }

  /** The value in the spec of an item. */
  valueOf(resource: Resource): number {
    return Items.from(resource).spec.value;
  }

  async watch(pointer: Pointer, options: OneWatchOptions = {}): Promise<EventReader> {
    const { lazy, ...rest } = options;
    return this.reader(await this.core.watch(pointer, rest), { lazy });
  }

  async watchKind(options: KindWatchOptions = {}): Promise<EventReader> {
    const { lazy, kind = this.kind, ...rest } = options;
    return this.reader(await this.core.watchKind(kind, rest), { lazy });
  }

  async watchKindAggregated(options: KindWatchOptions = {}): Promise<EventReader> {
    const { lazy, kind = this.kind, ...rest } = options;
    return this.reader(await this.core.watchKindAggregated(kind, rest), { lazy });
  }

  reader(watch: EventReader['watch'], options: ReaderOptions = {}): EventReader {
    const reader = new EventReader(watch, this.deadline, options);
    this.cleanup(() => reader.close());
    return reader;
  }

  /**
   * A call that goes on while the test does something else. When the test fails first, the call's own failure is of no
   * interest, and must not become an unhandled rejection.
   */
  started<T>(call: Promise<T>): Promise<T> {
    call.catch(() => undefined);
    return call;
  }

  within<T extends Promise<unknown>>(promise: T, waitingFor: string): Promise<Awaited<T>> {
    return within(this.deadline, promise, waitingFor) as Promise<Awaited<T>>;
  }

  /** Waits until the check passes, turn by turn. At the deadline it fails with what the check said last. */
  async eventually(check: () => void): Promise<void> {
    let last: unknown;
    const passed = () => {
      try {
        check();
        return true;
      } catch (error) {
        last = error;
        return false;
      }
    };
    let late = false;
    const { clock, waitMs } = this.deadline;
    const timer = clock.schedule(waitMs, () => {
      late = true;
    });
    try {
      while (!passed()) {
        if (late) throw last;
        await new Promise<void>((resolve) => clock.schedule(1, resolve));
      }
    } finally {
      timer.cancel();
    }
  }

  /** Creates a resource that nothing else creates, and gives the event that watches of the kind see then. */
  async mark(kind: Kind = this.kind, metadata: NewResourceMetadata = {}): Promise<string> {
    const id = `~marker-${++this.#markers}`;
    await this.core.create(itemOf(kind, id, 0, metadata), { owner: metadata.owner });
    return `created ${id}@1`;
  }

  /** Checks that nothing more comes: the next event of the watch is one that happens now. */
  async quiet(reader: EventReader, kind: Kind = this.kind, metadata: NewResourceMetadata = {}): Promise<void> {
    await reader.expect(await this.mark(kind, metadata));
  }

  /** Checks that the events of a watch of the kind from its beginning add up to what is stored. */
  async addsUp(reader: EventReader): Promise<void> {
    const events = await reader.until(await this.mark());
    const seen = new Map<string, Resource>();
    for (const event of events) {
      if (event.type === 'errored') check(false, `the watch failed: ${event.error.message}`);
      else if (event.type === 'destroyed') seen.delete(event.resource.metadata.id);
      else if (event.type === 'created' || event.type === 'updated')
        seen.set(event.resource.metadata.id, event.resource);
    }
    const stored = await this.core.list(this.kind);
    const known = stored.flatMap(({ metadata }) => seen.get(metadata.id) ?? []);
    sameResources(known, stored, 'what the events add up to, and what is stored');
    check(seen.size === stored.length, `events tell of ${[...seen.keys()].join(', ')}, which are not stored`);
  }
}
