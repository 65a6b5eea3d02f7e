import type { PlacedItem } from '@cosi-ts/proto';
import type { Event } from '@cosi-ts/state';
import { type Batch, batchOf, type Packing } from './batches.js';

/** How much memory what was sent lately may take. */
const maxKeptBytes = 16 * 1024 * 1024;

/** About what a batch takes beside its bytes. */
const entryBytes = 1024;

/** A batch, and where it is looked up. */
interface Entry {
  readonly batches: Map<number, Batch>;
  readonly key: number;
  readonly batch: Batch;
}

/**
 * Encodes the events of watches. A state gives watches that are as far the same array: what the first of them was sent
 * is kept for the others, byte for byte, until newer events take its place. The arrays are not: the first bytes of one may
 * be a small part of what it holds, and nobody else may want it any more.
 */
export class EventBatches {
  readonly #encode: (event: Event) => PlacedItem;
  /** By array, where in it they begin, and how they are packed. */
  readonly #batches = new WeakMap<readonly Event[], Map<number, Batch>>();
  /** The oldest first. */
  readonly #entries = new Set<Entry>();
  #keptBytes = 0;

  /** @param encode gives an event as it stands in a message */
  constructor(encode: (event: Event) => PlacedItem) {
    this.#encode = encode;
  }

  /** As many events as make so many bytes, a single larger one apart. */
  next(events: readonly Event[], from: number, maxBytes: number, packing: Packing): Batch {
    const key = 2 * from + (packing === 'apart' ? 1 : 0);
    const kept = this.#batches.get(events)?.get(key);
    if (kept !== undefined && (kept.itemBytes <= maxBytes || kept.to === from + 1)) return kept;
    const batch = batchOf(events, from, maxBytes, packing, this.#encode);
    if (isShared(events)) this.#keep(events, key, batch);
    return batch;
  }

  #keep(events: readonly Event[], key: number, batch: Batch): void {
    let batches = this.#batches.get(events);
    if (batches === undefined) {
      batches = new Map();
      this.#batches.set(events, batches);
    }
    batches.set(key, batch);
    this.#entries.add({ batches, key, batch });
    this.#keptBytes += memoryOf(batch);
    for (const oldest of this.#entries) {
      if (this.#keptBytes <= maxKeptBytes) return;
      this.#entries.delete(oldest);
      this.#keptBytes -= memoryOf(oldest.batch);
      // Another one may stand there by now.
      if (oldest.batches.get(oldest.key) === oldest.batch) oldest.batches.delete(oldest.key);
    }
  }
}

function memoryOf({ bytes }: Batch): number {
  return bytes.length + entryBytes;
}

/** A bootstrap is one watch's own: its events have no bookmarks. */
function isShared(events: readonly Event[]): boolean {
  return Object.isFrozen(events) && events[0] !== undefined && 'bookmark' in events[0];
}
