import type { Event } from '@cosi-ts/state';
import { type Batch, batchOf, type Packing } from './batches.js';

/** How much of what was sent lately is kept. */
const maxKeptBytes = 8 * 1024 * 1024;

/**
 * Encodes the events of watches. A state gives watches that are as far the same array: what the first of them was sent
 * is kept for the others, byte for byte, until newer events take its place.
 */
export class EventBatches {
  readonly #encode: (event: Event) => Uint8Array;
  /** By array, where in it they begin, and how they are packed; the oldest first. */
  readonly #kept = new Map<readonly Event[], Map<number, Batch>>();
  #keptBytes = 0;

  /** @param encode gives an event as it stands in a message */
  constructor(encode: (event: Event) => Uint8Array) {
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
    this.#keptBytes += batch.bytes.length - (batches.get(key)?.bytes.length ?? 0);
    batches.set(key, batch);
    for (const [oldest, of] of this.#kept) {
      if (this.#keptBytes <= maxKeptBytes) return;
      this.#kept.delete(oldest);
      for (const { bytes } of of.values()) this.#keptBytes -= bytes.length;
    }
  }
}

/** A bootstrap is one watch's own: its events have no bookmarks. */
function isShared(events: readonly Event[]): boolean {
  return Object.isFrozen(events) && events[0] !== undefined && 'bookmark' in events[0];
}
