import { wire } from '@cosi-ts/proto';
import { batchBytes } from '../limits.js';
import { eventSizeBound, sizeNear } from '../wire-size.js';

/** What the list of events adds to each of them. */
const itemBytes = 12;

/**
 * Splits an array of events into parts of which each makes a message of at most 1 MiB, a single larger event apart.
 * Gives nothing for an empty array.
 */
export function* batches(events: Iterable<wire.Event>): Generator<wire.Event[], void> {
  let batch: wire.Event[] = [];
  let bytes = 0;
  for (const event of events) {
    // Most events are small: their bound counts. Where it would cut needlessly, the size does.
    const size = itemBytes + sizeNear(batchBytes / 16, eventSizeBound(event), wire.EventSchema, event);
    if (batch.length > 0 && bytes + size > batchBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
