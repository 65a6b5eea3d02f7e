import type { PlacedItem } from '@cosi-ts/proto';

/** What stands before each message of a stream: a byte of flags, and the length in four bytes. */
export const envelopeHeadBytes = 5;

/** Messages one after the other, each in its envelope: written to a stream as they are. */
export interface Envelopes {
  readonly bytes: Uint8Array;
  /** How many there are. */
  readonly count: number;
}

/** One message, put together of items, in its envelope. */
export function envelopeOf(items: readonly PlacedItem[], length: number): Uint8Array {
  const bytes = new Uint8Array(envelopeHeadBytes + length);
  let at = writeEnvelopeHead(bytes, 0, length);
  for (const item of items) at = item.place(bytes, at);
  return bytes;
}

/** Each of the items as a message in an envelope of its own. */
export function envelopesOf(items: readonly PlacedItem[], length: number): Envelopes {
  const bytes = new Uint8Array(length + items.length * envelopeHeadBytes);
  let at = 0;
  for (const item of items) at = item.place(bytes, writeEnvelopeHead(bytes, at, item.length));
  return { bytes, count: items.length };
}

/** A message that is there already, in its envelope. Small ones share memory: they are sent soon, and let go of. */
export function enveloped(message: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(envelopeHeadBytes + message.length);
  bytes.set(message, writeEnvelopeHead(bytes, 0, message.length));
  return bytes;
}

/** A message that is an item alone, in its envelope. Likewise. */
export function envelopedItem(item: PlacedItem): Uint8Array {
  const bytes = Buffer.allocUnsafe(envelopeHeadBytes + item.length);
  item.place(bytes, writeEnvelopeHead(bytes, 0, item.length));
  return bytes;
}

/** The one message that was put into an envelope: a view. */
export function messageIn(envelope: Uint8Array): Uint8Array {
  return envelope.subarray(envelopeHeadBytes);
}

/** Gives where the message belongs. */
function writeEnvelopeHead(target: Uint8Array, at: number, length: number): number {
  target[at] = 0;
  target[at + 1] = length >>> 24;
  target[at + 2] = length >>> 16;
  target[at + 3] = length >>> 8;
  target[at + 4] = length;
  return at + envelopeHeadBytes;
}

/** Of the message whose envelope begins there. */
export function envelopeLength(bytes: Uint8Array, at: number): number {
  const high = bytes[at + 1] as number;
  const low = ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number);
  return high * 0x100_0000 + low;
}

/** The messages without their envelopes: views. */
export function* messagesIn({ bytes }: Envelopes): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; ) {
    const begin = at + envelopeHeadBytes;
    at = begin + envelopeLength(bytes, at);
    yield bytes.subarray(begin, at);
  }
}
