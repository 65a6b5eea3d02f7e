import { type Kind, labelMatcher, matchesId, type Resource } from '@cosi-ts/resource';
import { History, type HistoryBounds } from './history.js';
import { HistoryEntry } from './history-entry.js';
import { LabelIndex } from './label-index.js';
import type { Queries } from './queries.js';
import { Slot } from './slot.js';
import type { SlotTable } from './slot-table.js';
import { type SlotSet, SortedSlots } from './sorted-slots.js';
import { type Bell, WakeUps } from './wake-ups.js';

/** What the watchers of one resource share. */
export class Feed {
  /** The number of the last event about the resource. */
  lastEvent: number;
  readonly bell: Bell = new Set();
  watchers = 0;

  constructor(lastEvent: number) {
    this.lastEvent = lastEvent;
  }
}

/** What a kind without resources lists. */
export const noResources: readonly Resource[] = Object.freeze([]);

/** The resources of one kind, what happened to them lately, and who waits for more. */
export class Collection implements SlotSet {
  readonly kind: Kind;
  readonly history: History;
  readonly wakeUps = new WakeUps(() => this.history.release());
  /** How many watches of the kind or its resources have not ended. */
  watchers = 0;
  readonly #slots: SlotTable;
  readonly #sorted = new SortedSlots(this);
  readonly #index = new LabelIndex(this);
  readonly #feeds = new Map<string, Feed>();
  #all: readonly Resource[] | undefined;

  /**
   * @param slots what is there before any event; the collection's from now on
   * @param floor the position after which all events will be in the history
   */
  constructor(kind: Kind, slots: SlotTable, bounds: HistoryBounds, floor: number) {
    this.#slots = slots;
    this.kind = Object.freeze({ namespace: kind.namespace, type: kind.type });
    this.history = new History(bounds, floor);
  }

  /** How many watchers wait to be woken. */
  get sleepers(): number {
    let sum = this.wakeUps.size;
    for (const feed of this.#feeds.values()) sum += feed.bell.size;
    return sum;
  }

  /** True when nothing is held, nothing has happened, and nobody watches. */
  get idle(): boolean {
    return this.watchers === 0 && this.#slots.size === 0 && this.history.next === 0;
  }

  get size(): number {
    return this.#slots.size;
  }

  has(slot: Slot): boolean {
    return !slot.gone;
  }

  slots(): Iterable<Slot> {
    return this.#slots.values();
  }

  get(id: string): Resource | undefined {
    return this.#slots.get(id)?.resource;
  }

  /** In order of ids. The same frozen array for all who ask before the next change. */
  all(): readonly Resource[] {
    if (this.#slots.size === 0) return noResources;
    this.#all ??= Object.freeze(this.#sorted.view().map((slot) => slot.resource));
    return this.#all;
  }

  /** Those that match, in order of ids. */
  list({ labels, id, matchAll }: Queries): readonly Resource[] {
    if (matchAll) return this.all();
    const candidates = this.#index.find(labels);
    const resources = candidates?.slots.map((slot) => slot.resource) ?? this.all();
    const matches = candidates?.exact === true ? undefined : labelMatcher(labels);
    if (matches === undefined && id === undefined) return Object.freeze(resources);
    return Object.freeze(
      resources.filter(
        ({ metadata }) => (matches === undefined || matches(metadata.labels)) && matchesId(id, metadata.id),
      ),
    );
  }

  /** @param encodedBytes the size of the resource where its bytes exist */
  created(resource: Resource, position: number, encodedBytes?: number): void {
    const slot = new Slot(resource, encodedBytes);
    this.#add(slot);
    this.#record('created', slot, undefined, 0, position);
  }

  updated(resource: Resource, position: number, encodedBytes?: number): void {
    const slot = this.#slot(resource.metadata.id);
    const old = slot.resource;
    const oldBytes = slot.bytes;
    slot.replace(resource, encodedBytes);
    this.#all = undefined;
    this.#index.changed(slot, old.metadata.labels);
    this.#record('updated', slot, old, oldBytes, position);
  }

  destroyed(id: string, position: number): void {
    const slot = this.#slot(id);
    this.#slots.remove(slot);
    this.#all = undefined;
    this.#sorted.removed();
    this.#index.removed(slot);
    this.#record('destroyed', slot, undefined, 0, position);
  }

  /** The feed of the resource with that id, for one more watcher. To be given back with {@link leave}. */
  join(id: string): Feed {
    let feed = this.#feeds.get(id);
    if (feed === undefined) {
      feed = new Feed(this.#slots.get(id)?.lastEvent ?? -1);
      this.#feeds.set(id, feed);
    }
    feed.watchers++;
    return feed;
  }

  leave(id: string): void {
    const feed = this.#feeds.get(id);
    if (feed !== undefined && --feed.watchers === 0) this.#feeds.delete(id);
  }

  #slot(id: string): Slot {
    const slot = this.#slots.get(id);
    if (slot === undefined) throw new RangeError(`there is no resource ${JSON.stringify(id)} to change`);
    return slot;
  }

  #add(slot: Slot): void {
    this.#slots.add(slot);
    this.#all = undefined;
    this.#sorted.added(slot);
    this.#index.added(slot);
  }

  #record(type: HistoryEntry['type'], slot: Slot, old: Resource | undefined, oldBytes: number, position: number): void {
    const feed = this.#feeds.size > 0 ? this.#feeds.get(slot.id) : undefined;
    const previous = Math.max(slot.lastEvent, feed?.lastEvent ?? -1);
    const entry = new HistoryEntry(type, slot.resource, old, position, previous, slot.bytes);
    const number = this.history.append(entry, oldBytes);
    slot.lastEvent = number;
    if (feed !== undefined) feed.lastEvent = number;
    // What watchers have not been woken for is kept until they are.
    if (this.watchers > 0) this.wakeUps.ring(feed?.bell);
    else if (!this.wakeUps.pending()) this.history.release();
  }
}
