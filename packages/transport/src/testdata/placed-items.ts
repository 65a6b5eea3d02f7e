import type { PlacedItem } from '@cosi-ts/proto';

/** Bytes that are there, as something to be put into messages. */
export function itemOf(bytes: Uint8Array): PlacedItem {
  return {
    length: bytes.length,
    place(target, from) {
      target.set(bytes, from);
      return from + bytes.length;
    },
  };
}
