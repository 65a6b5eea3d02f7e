import { crc32 } from 'node:zlib';
import { viewFrom } from './slabs.js';

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
  const body = unframedBy(bytesChecksum(key), Buffer.from(value.buffer, value.byteOffset, value.length));
  return body === undefined ? undefined : Buffer.from(body.buffer, body.byteOffset, body.length);
}

/**
 * The same, given the checksum of the key.
 *
 * @param bodyOf gives the bytes of the value from there on, wherever they are to be
 */
export function unframedBy(
  keyChecksum: number,
  value: Buffer,
  bodyOf: (value: Buffer, from: number) => Uint8Array = viewFrom,
): Uint8Array | undefined {
  if (value.length < frameBytes) return undefined;
  const body = bodyOf(value, frameBytes);
  return crc32(body, keyChecksum) === value.readUInt32LE(0) ? body : undefined;
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => crc32(Buffer.of(byte)) ^ crc32(Buffer.of(0)));

/** Keys are short, and for short ones a call of zlib takes longer than this. */
const maxShortKey = 128;

/** The CRC-32 of a key. */
export function bytesChecksum(key: Uint8Array): number {
  if (key.length > maxShortKey) return crc32(key);
  let crc = ~0;
  for (let i = 0; i < key.length; i++) crc = (crc >>> 8) ^ (table[(crc ^ (key[i] as number)) & 0xff] as number);
  return ~crc >>> 0;
}

/** The CRC-32 of what came before and of a text in UTF-8 after it. */
export function textChecksum(text: string, before = 0): number {
  let crc = ~before;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return crc32(text, before);
    crc = (crc >>> 8) ^ (table[(crc ^ code) & 0xff] as number);
  }
  return ~crc >>> 0;
}
