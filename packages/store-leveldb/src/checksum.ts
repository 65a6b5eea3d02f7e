import { crc32 } from 'node:zlib';

/** How many bytes {@link framed} puts in front of a value. */
export const frameBytes = 4;

/**
 * The store's own frame around each value: a CRC-32 over key and value in front of it, little-endian. A flipped bit in
 * either, a cut value, and a value under another one's key do not fit it. LevelDB checks less: it reads blocks without
 * comparing their checksums.
 *
 * @param value its first four bytes are free for the checksum
 */
export function seal(key: Uint8Array, value: Buffer): Buffer {
  value.writeUInt32LE(crc32(value.subarray(frameBytes), crc32(key)), 0);
  return value;
}

/** Gives a buffer of that length. Its contents may be anything. */
export type Allocate = (length: number) => Buffer;

/** A sealed value that holds these bytes. */
export function framed(key: Uint8Array, body: Uint8Array, allocate: Allocate = Buffer.allocUnsafe): Buffer {
  const value = allocate(frameBytes + body.length);
  value.set(body, frameBytes);
  return seal(key, value);
}

/** What was framed: a view. Undefined when the checksum does not fit. */
export function unframed(key: Uint8Array, value: Uint8Array): Buffer | undefined {
  if (value.length < frameBytes) return undefined;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  const body = bytes.subarray(frameBytes);
  return crc32(body, crc32(key)) === bytes.readUInt32LE(0) ? body : undefined;
}
