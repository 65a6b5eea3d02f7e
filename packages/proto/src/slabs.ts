/** How large a slab is. What is left of its pieces can hold on to as much memory as all of them took. */
const slabBytes = 8 * 1024;

/** What is larger than this gets memory of its own, which is no burden to it. */
const maxSmallBytes = 2 * 1024;

/**
 * Memory that small pieces of bytes share. A buffer of its own takes some 300 bytes besides, and more of the collector's
 * time than all else about a small resource.
 */
export class Slabs {
  #slab = new Uint8Array(0);
  #used = 0;

  /** A copy of the first bytes. */
  copy(from: Uint8Array, length: number): Uint8Array {
    return length > maxSmallBytes ? from.slice(0, length) : this.#place(from.subarray(0, length));
  }

  /** The bytes. Small ones that have a buffer of their own are copied. */
  moved(bytes: Uint8Array): Uint8Array {
    const isAlone = bytes.length === bytes.buffer.byteLength;
    return isAlone && bytes.length <= maxSmallBytes ? this.#place(bytes) : bytes;
  }

  #place(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    if (this.#used + length > this.#slab.length) {
      this.#slab = new Uint8Array(slabBytes);
      this.#used = 0;
    }
    const copy = new Uint8Array(this.#slab.buffer, this.#used, length);
    this.#used += length;
    copy.set(bytes);
    return copy;
  }
}
