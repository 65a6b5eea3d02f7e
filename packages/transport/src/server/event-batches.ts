import type { PlacedItem } from '@cosi-ts/proto';
import type { Event } from '@cosi-ts/state';
import { type Batch, batchOf, type Packing } from './batches.js';

/** How much memory what was sent lately may take. */
const maxKeptBytes = 16 * 1024 * 1024;

/** About what an event takes beside its encoded bytes: it is kept too, with its resource, as long as they are. */
const eventBytes = 1024;

/**
 * Encodes the events of watches. A state gives watches that are as far the same array: what the first of them was sent
 * is kept for the others, byte for byte, until newer events take its place.
 */
export class EventBatches {
  readonly #encode: (event: Event) => PlacedItem;
  /** By array, where in it they begin, and how they are packed; the oldest first. */
  readonly #kept = new Map<readonly Event[], Map<number, Batch>>();
  #keptBytes = 0;

  /** @param encode gives an event as it stands in a message */
  constructor(encode: (event: Event) => PlacedItem) {
    this.#encode = encode;
  }

  /** As many events as make so many bytes, a single larger one apart. */
  next(events: readonly Event[], from: number, maxBytes: number, packing: Packing): Batch {
    const key = 2 * from + (packing === 'apart' ? 1 : 0);
    const kept = this.#kept.get(events)?.get(key);
    if (kept !== undefined && (kept.itemBytes <= maxBytes || kept.to === from + 1)) return kept;
    const batch = batchOf(events, from, maxBytes, packing, this.#encode);
    if (isShared(events)) this.#keep(events, key, batch);
    return batch;
  }

  #keep(events: readonly Event[], key: number, batch: Batch): void {
    let batches = this.#kept.get(events);
    if (batches === undefined) {
      batches = new Map();
      this.#kept.set(events, batches);
    }
    const before = batches.get(key);
    if (before !== undefined) this.#keptBytes -= memoryOf(before, key);
    this.#keptBytes += memoryOf(batch, key);
    batches.set(key, batch);
    for (const [oldest, of] of this.#kept) {
      if (this.#keptBytes <= maxKeptBytes) return;
      this.#kept.delete(oldest);
      for (const [at, each] of of) this.#keptBytes -= memoryOf(each, at);
    }
  }
}

/** @param key of which half is where the batch begins */
function memoryOf({ bytes, to }: Batch, key: number): number {
  return bytes.length + (to - (key >> 1)) * eventBytes;
}

/** A bootstrap is one watch's own: its events have no bookmarks. */
function isShared(events: readonly Event[]): boolean {
  return Object.isFrozen(events) && events[0] !== undefined && 'bookmark' in events[0];
}
