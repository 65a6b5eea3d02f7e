import type { RecordPlace } from '@cosi-ts/state-inmem';

const utf8 = new TextEncoder();

/**
 * A place as bytes, different for different ones: namespace, type and id, each as its length in 32 bits and its UTF-8,
 * then for a record of the event log its position in 64 bits; numbers big-endian.
 */
export function placeBytes({ namespace, type, id, position }: RecordPlace): Uint8Array {
  const parts = [namespace, type, id].map((part) => utf8.encode(part));
  const length = parts.reduce((sum, part) => sum + 4 + part.length, 0);
  const bytes = new Uint8Array(length + (position === undefined ? 0 : 8));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  if (position !== undefined) view.setBigUint64(at, BigInt(position));
  return bytes;
}
