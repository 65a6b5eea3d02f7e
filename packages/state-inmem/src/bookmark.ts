import type { Bookmark } from '@cosi-ts/state';

/** How many bytes name a timeline: those of a state in memory, or of one opening of a durable store. */
export const epochBytes = 8;
const bookmarkBytes = epochBytes + 8;

/** What a bookmark says. */
export interface BookmarkParts {
  readonly epoch: Uint8Array;
  /** From 0. May be larger than any position that was given, and then it need not be exact. */
  readonly position: number;
}

/** The bytes of the epoch, then the position as a big-endian signed 64-bit integer. */
export function encodeBookmark(epoch: Uint8Array, position: number): Bookmark {
  const bytes = new Uint8Array(bookmarkBytes);
  bytes.set(epoch);
  // By hand: a DataView takes ten times as long, and every event that is sent somewhere needs this once.
  putUint32(bytes, epochBytes, Math.floor(position / 2 ** 32));
  putUint32(bytes, epochBytes + 4, position % 2 ** 32);
  return bytes;
}

/** Reads what {@link encodeBookmark} wrote; undefined when the bytes cannot be a bookmark. */
export function decodeBookmark(bytes: unknown): BookmarkParts | undefined {
  if (!(bytes instanceof Uint8Array) || bytes.length !== bookmarkBytes) return undefined;
  const high = getUint32(bytes, epochBytes);
  if (high >= 2 ** 31) return undefined;
  return { epoch: bytes.slice(0, epochBytes), position: high * 2 ** 32 + getUint32(bytes, epochBytes + 4) };
}

function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

function getUint32(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}
