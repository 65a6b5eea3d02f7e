import type { MaybePromise } from './maybe-async.js';

/** Makes bytes shorter, and long again. */
export interface Compressor {
  /** The byte that tells whose work a record is; not 0. */
  readonly id: number;
  compress(bytes: Uint8Array): MaybePromise<Uint8Array>;
  /**
   * Throws when the bytes are not exactly what a compressor of this id wrote, and when the result would be longer than
   * `maxBytes`, whatever a header claims.
   */
  decompress(bytes: Uint8Array, maxBytes: number): MaybePromise<Uint8Array>;
}
