import type { MaybePromise } from './maybe-async.js';
import type { ZstdFrame } from './zstd-frames.js';

/** What does the work on whole frames. */
export interface ZstdEngine {
  /** One frame with its content's checksum. */
  compress(bytes: Uint8Array, level: number): MaybePromise<Uint8Array>;
  /** The content of one frame, whose checksum has been compared. Throws when it is longer than `maxBytes`. */
  decompress(frame: ZstdFrame, maxBytes: number): MaybePromise<Uint8Array>;
}

/** What an engine throws for content that is longer than allowed. */
export function tooLong(maxBytes: number): RangeError {
  return new RangeError(`it would be longer than the ${maxBytes} bytes that are allowed`);
}
