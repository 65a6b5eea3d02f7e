import { CorruptError, type Kind, type Pointer, pointerText, type Resource } from '@cosi-ts/resource';
import type { BackingStore, CommitReceipt, StoreChange } from './backing-store.js';
import { epochBytes } from './bookmark.js';
import { Intake } from './intake.js';
import { Kinds } from './kinds.js';
import { LogTimeline } from './log-timeline.js';
import type { ResolvedInMemoryOptions } from './options.js';
import type { StateClock } from './state-clock.js';
import { OwnTimeline, type Timeline } from './timeline.js';
import { Watching } from './watching.js';

/** All that a state holds. */
export class Contents {
  readonly kinds: Kinds;
  readonly watching: Watching;
  readonly #timeline: Timeline;

  /** Begins empty. With a store, {@link load} makes what it begins with. */
  constructor(options: ResolvedInMemoryOptions, clock: StateClock) {
    const log = options.store?.log;
    this.#timeline = log === undefined ? new OwnTimeline(options.random.bytes(epochBytes)) : new LogTimeline(log);
    this.kinds = new Kinds(options.history, this.#timeline.position);
    this.watching = new Watching(this.kinds, this.#timeline, log, clock);
  }

  /**
   * Reads all of a store.
   *
   * @param namespace the only one that there may be, if there is such
   */
  static async load(
    options: ResolvedInMemoryOptions,
    store: BackingStore,
    clock: StateClock,
    namespace: string | undefined,
  ): Promise<Contents> {
    const intake = new Intake();
    const check = (kind: Kind, what: unknown) => {
      if (namespace === undefined || kind.namespace === namespace) return;
      throw new CorruptError(`the store of namespace ${JSON.stringify(namespace)} gave ${what}`, { subject: kind });
    };
    const checkNew = (present: Resource | undefined) => {
      if (present === undefined) return;
      throw new CorruptError(`the store gave resource ${present} twice`, { subject: present.metadata });
    };
    for await (const batch of store.load()) {
      if ('take' in batch) {
        check(batch.kind, pointerText(batch.kind));
        checkNew(intake.addPage(batch));
        clock.observe(batch.newest);
        continue;
      }
      for (const resource of batch) {
        const { metadata } = resource;
        // It is made a text of where that is needed.
        check(metadata, resource);
        checkNew(intake.add(resource) ? undefined : resource);
        clock.observe(metadata.created);
        clock.observe(metadata.updated);
      }
    }
    // The log is there once everything has been read.
    const contents = new Contents(options, clock);
    for (const [kind, slots] of intake.kinds()) contents.kinds.add(kind, slots);
    return contents;
  }

  get(pointer: Pointer): Resource | undefined {
    return this.kinds.get(pointer)?.get(pointer.id);
  }

  /** Makes a change visible, to readers and watchers at once. */
  publish(change: StoreChange, receipt: CommitReceipt = {}): void {
    const { resource } = change;
    const collection = this.kinds.of(resource.metadata);
    const position = this.#timeline.advance(receipt.position);
    if (change.type === 'created') collection.created(resource, position, receipt.encodedBytes);
    else if (change.type === 'updated') collection.updated(resource, position, receipt.encodedBytes);
    else collection.destroyed(resource.metadata.id, position);
  }
}
