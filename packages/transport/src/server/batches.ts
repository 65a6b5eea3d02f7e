import type { PlacedItem } from '@cosi-ts/proto';
import { type Envelopes, envelopeOf, envelopesOf } from '../envelope.js';

/** Part of an array, encoded. */
export interface Batch extends Envelopes {
  /** The index of the first item that is not in it. */
  readonly to: number;
  /** How many bytes the items have, without what the messages add to them. */
  readonly itemBytes: number;
}

/** How the items of a batch become messages. */
export type Packing = 'together' | 'apart';

/**
 * As many items as make a given number of bytes, a single larger one apart: all in one message, or each in its own.
 *
 * Throws what `encode` throws for the first of them; a later one of that kind is left to the next batch.
 *
 * @param encode gives what stands for the item in a message, of which several one after the other are one as well
 */
export function batchOf<T>(
  items: readonly T[],
  from: number,
  maxBytes: number,
  packing: Packing,
  encode: (item: T) => PlacedItem,
): Batch {
  const parts: PlacedItem[] = [];
  let itemBytes = 0;
  let to = from;
  for (; to < items.length; to++) {
    const part = to === from ? encode(items[to] as T) : encodedOrNot(items[to] as T, encode);
    if (part === undefined || (to > from && itemBytes + part.length > maxBytes)) break;
    parts.push(part);
    itemBytes += part.length;
  }
  if (packing === 'together') return { bytes: envelopeOf(parts, itemBytes), count: 1, to, itemBytes };
  return { ...envelopesOf(parts, itemBytes), to, itemBytes };
}

/** Nothing when it cannot be: what comes before it is to be sent all the same, and then it is tried again. */
function encodedOrNot<T>(item: T, encode: (item: T) => PlacedItem): PlacedItem | undefined {
  try {
    return encode(item);
  } catch {
    return undefined;
  }
}
