import type { Event } from '@cosi-ts/state';
import type { HistoryEntry } from './history-entry.js';
import type { Timeline } from './timeline.js';
import { changeEvent } from './watch-events.js';

export interface HistoryBounds {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** About what an entry itself costs, beside the snapshots that it holds. */
const entryBytes = 160;
const minCapacity = 16;

/**
 * The last changes of a kind, numbered in the order in which they happened, in a ring. What is over its bounds is
 * trimmed: it counts as gone at once ({@link first}), and is let go of by {@link release}, which the owner can put off
 * until watchers that were up to date have got what is new to them ({@link kept}).
 */
export class History {
  readonly #bounds: HistoryBounds;
  #ring: (HistoryEntry | undefined)[] = [];
  #bytes = 0;
  #kept = 0;
  #first = 0;
  #next = 0;
  #floor: number;
  #batch: readonly Event[] = [];
  #batchFrom = 0;
  #batchTo = 0;

  /** @param floor all events after this position will be here */
  constructor(bounds: HistoryBounds, floor: number) {
    this.#bounds = bounds;
    this.#floor = floor;
  }

  /** The number of the oldest entry within the bounds. */
  get first(): number {
    return this.#first;
  }

  /** The number of the oldest entry that can still be read. */
  get kept(): number {
    return this.#kept;
  }

  /** The number that the next entry will get. */
  get next(): number {
    return this.#next;
  }

  /** The events after this position are all within the bounds. */
  get floor(): number {
    return this.#floor;
  }

  /** About how much memory the entries within the bounds hold on to. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The entry with that number, from {@link kept} up to but not including {@link next}. */
  at(number: number): HistoryEntry {
    // Slots are told apart by the distance from 0, as the ring's length is a power of two.
    const entry = this.#ring[number % this.#ring.length];
    if (entry === undefined) throw new RangeError(`no entry ${number} is kept`);
    return entry;
  }

  /** Adds an entry and trims what is over the bounds then. Gives its number. */
  append(entry: HistoryEntry, oldBytes: number): number {
    const number = this.#next;
    if (number - this.#kept === this.#ring.length) this.#resize(Math.max(minCapacity, this.#ring.length * 2));
    this.#ring[number % this.#ring.length] = entry;
    this.#next++;
    this.#charge(entry, oldBytes, number);
    while (
      (this.#bytes > this.#bounds.maxBytes || this.#next - this.#first > this.#bounds.maxEvents) &&
      this.#first < number
    )
      this.#trim();
    return number;
  }

  /** What the entry shares with the one before it is that one's to bear, as long as that is here. */
  #charge(entry: HistoryEntry, oldBytes: number, number: number): void {
    const previous = entry.previous >= this.#first ? this.at(entry.previous) : undefined;
    const sharesPrevious = previous !== undefined && (entry.old ?? entry.resource) === previous.resource;
    const own = entry.type === 'destroyed' ? 0 : entry.resourceBytes;
    const before = entry.type === 'destroyed' ? entry.resourceBytes : oldBytes;
    entry.chargedBytes = entryBytes + own + (sharesPrevious ? 0 : before);
    if (sharesPrevious) previous.next = number;
    this.#bytes += entry.chargedBytes;
  }

  #trim(): void {
    const entry = this.at(this.#first);
    this.#bytes -= entry.chargedBytes;
    this.#floor = entry.position;
    this.#first++;
    if (entry.next < 0) return;
    this.at(entry.next).chargedBytes += entry.resourceBytes;
    this.#bytes += entry.resourceBytes;
  }

  /** Lets go of what was trimmed. */
  release(): void {
    this.#batch = [];
    this.#batchFrom = this.#batchTo = 0;
    for (; this.#kept < this.#first; this.#kept++) this.#ring[this.#kept % this.#ring.length] = undefined;
    const length = this.#next - this.#kept;
    if (this.#ring.length > minCapacity && length < this.#ring.length / 8) this.#resize(this.#ring.length / 2);
  }

  #resize(capacity: number): void {
    const ring = new Array<HistoryEntry | undefined>(capacity);
    for (let number = this.#kept; number < this.#next; number++) ring[number % capacity] = this.at(number);
    this.#ring = ring;
  }

  *entries(from: number, to: number): Iterable<HistoryEntry> {
    for (let number = from; number < to; number++) yield this.at(number);
  }

  /** The last entries that the condition holds for, at most so many, in their order. */
  last(count: number, condition: (entry: HistoryEntry) => boolean): readonly HistoryEntry[] {
    const found: HistoryEntry[] = [];
    for (let number = this.#next - 1; number >= this.#first && found.length < count; number--) {
      const entry = this.at(number);
      if (condition(entry)) found.push(entry);
    }
    return found.reverse();
  }

  /**
   * The events from one number up to but not including another, as watchers without a filter see them: the same frozen
   * array for all that are as far.
   */
  events(from: number, to: number, timeline: Timeline): readonly Event[] {
    if (this.#batchFrom !== from || this.#batchTo !== to) {
      const events: Event[] = [];
      for (let number = from; number < to; number++) events.push(changeEvent(this.at(number), timeline));
      this.#batch = Object.freeze(events);
      this.#batchFrom = from;
      this.#batchTo = to;
    }
    return this.#batch;
  }

  /** The number of the first entry after the position, which must not lie before {@link floor}. */
  numberAfter(position: number): number {
    let low = this.#first;
    let high = this.#next;
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      if (this.at(middle).position <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The position before the entry with that number: everything before it has happened there. */
  positionBefore(number: number): number {
    return number > this.#first ? this.at(number - 1).position : this.#floor;
  }
}
