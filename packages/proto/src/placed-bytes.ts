/**
 * How bytes that are there already become fields of a message: tag and length before them, and nothing else. For tags of
 * one byte, which all fields up to number 15 have.
 */

/** Part of a message, whose length is known before it is written. */
export interface PlacedItem {
  readonly length: number;
  /** Writes it, and gives where what follows begins. */
  place(target: Uint8Array, from: number): number;
}

/** All of the item, alone. */
export function bytesOf(item: PlacedItem): Uint8Array {
  const bytes = new Uint8Array(item.length);
  item.place(bytes, 0);
  return bytes;
}

/** How much the field takes. */
export function placedLength(length: number): number {
  return 1 + varintLength(length) + length;
}

/** Writes the field, and gives where the next one begins. */
export function placeBytes(target: Uint8Array, at: number, tag: number, bytes: Uint8Array): number {
  const begin = placeHead(target, at, tag, bytes.length);
  target.set(bytes, begin);
  return begin + bytes.length;
}

/** Writes tag and length alone, and gives where the bytes belong. */
export function placeHead(target: Uint8Array, at: number, tag: number, length: number): number {
  target[at++] = tag;
  let rest = length;
  while (rest > 0x7f) {
    target[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[at++] = rest;
  return at;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length++;
  return length;
}
