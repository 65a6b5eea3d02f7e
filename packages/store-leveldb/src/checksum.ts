import { crc32 } from 'node:zlib';

/** How many bytes {@link framed} puts in front of a value. */
export const frameBytes = 4;

/**
 * The store's own frame around each value: a CRC-32 over key and value in front of it, little-endian. A flipped bit in
 * either, a cut value, and a value under another one's key do not fit it. LevelDB checks less: it reads blocks without
 * comparing their checksums.
 *
 * @param keyChecksum that of the key
 * @param value its first four bytes are free for the checksum
 */
export function seal(keyChecksum: number, value: Buffer): Buffer {
  value.writeUInt32LE(crc32(value.subarray(frameBytes), keyChecksum), 0);
  return value;
}

/** Gives a buffer of that length. Its contents may be anything. */
export type Allocate = (length: number) => Buffer;

/** A sealed value that holds these bytes. */
export function framed(key: Uint8Array, body: Uint8Array): Buffer {
  return framedBy(bytesChecksum(key), body, Buffer.allocUnsafe);
}

/** The same, given the checksum of the key. */
export function framedBy(keyChecksum: number, body: Uint8Array, allocate: Allocate): Buffer {
  const value = allocate(frameBytes + body.length);
  value.set(body, frameBytes);
  return seal(keyChecksum, value);
}

/** The same for text that is ASCII. */
export function framedText(keyChecksum: number, text: string): Buffer {
  const value = Buffer.allocUnsafe(frameBytes + text.length);
  value.write(text, frameBytes, 'latin1');
  return seal(keyChecksum, value);
}

/** What was framed: a view. Undefined when the checksum does not fit. */
export function unframed(key: Uint8Array, value: Uint8Array): Buffer | undefined {
  const body = unframedAt(bytesChecksum(key), value, 0, value.length);
  return body === undefined ? undefined : Buffer.from(body.buffer, body.byteOffset, body.length);
}

/** The same of a value that lies within other bytes, given the checksum of the key. */
export function unframedAt(
  keyChecksum: number,
  source: Uint8Array,
  start: number,
  end: number,
): Uint8Array | undefined {
  const from = start + frameBytes;
  if (from > end) return undefined;
  // No Buffer: views of those take longer to make.
  const body = new Uint8Array(source.buffer, source.byteOffset + from, end - from);
  return crc32(body, keyChecksum) === uint32At(source, start) ? body : undefined;
}

function uint32At(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  const high = (bytes[at + 2] as number) | ((bytes[at + 3] as number) << 8);
  return (low | (high << 16)) >>> 0;
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => crc32(Buffer.of(byte)) ^ crc32(Buffer.of(0)));

/** Keys are short, and for short ones a call of zlib takes longer than this. */
const maxShortKey = 128;

/** The CRC-32 of a key, or of a part of it after what came before. */
export function bytesChecksum(key: Uint8Array, start = 0, end = key.length, before = 0): number {
  if (end - start > maxShortKey) return crc32(key.subarray(start, end), before);
  let crc = ~before;
  for (let i = start; i < end; i++) crc = (crc >>> 8) ^ (table[(crc ^ (key[i] as number)) & 0xff] as number);
  return ~crc >>> 0;
}
