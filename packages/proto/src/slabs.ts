/**
 * How large slabs are of pieces that stay for as long as something else does, a snapshot or a spec. A slab stays as long as
 * any of its pieces: of k pieces that end by chance, 1 + 1/2 + … + 1/k times as much memory is held as they take, which is
 * twice as much for four.
 */
export const keptSlabBytes = 1024;

/** How large slabs are of pieces that are let go of soon. */
export const passingSlabBytes = 8 * 1024;

/**
 * Memory that small pieces of bytes share. A buffer of its own takes some 300 bytes besides, and more of the collector's
 * time than all else about a small resource. Pieces of more than a third of a slab have one nevertheless.
 */
export class Slabs {
  readonly #slabBytes: number;
  #slab = new Uint8Array(0);
  #used = 0;

  constructor(slabBytes: number) {
    this.#slabBytes = slabBytes;
  }

  /** A copy of the first bytes. */
  copy(from: Uint8Array, length: number): Uint8Array {
    return this.#isSmall(length) ? this.#place(from.subarray(0, length)) : from.slice(0, length);
  }

  /** The bytes. Small ones that have a buffer of their own are copied. */
  moved(bytes: Uint8Array): Uint8Array {
    const isAlone = bytes.length === bytes.buffer.byteLength;
    return isAlone && this.#isSmall(bytes.length) ? this.#place(bytes) : bytes;
  }

  #isSmall(length: number): boolean {
    return 3 * length <= this.#slabBytes;
  }

  #place(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    if (this.#used + length > this.#slab.length) {
      this.#slab = new Uint8Array(this.#slabBytes);
      this.#used = 0;
    }
    const copy = new Uint8Array(this.#slab.buffer, this.#used, length);
    this.#used += length;
    copy.set(bytes);
    return copy;
  }
}
