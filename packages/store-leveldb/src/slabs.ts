/** How large a slab is. */
const slabBytes = 64 * 1024;

/** What is larger than this stays where it is: a piece of memory of its own is no burden to it. */
const maxSmallBytes = 4 * 1024;

/**
 * Moves small pieces of bytes that are kept long into memory that they share. A buffer of its own takes some 300 bytes
 * besides, and more of the collector's time than all else about a small resource.
 *
 * A slab stays as long as anything in it does: what is left of the pieces can hold on to as much memory as all of them
 * took, and no more.
 */
export class Slabs {
  #slab = new Uint8Array(0);
  #used = 0;

  /** The bytes from there on; small ones elsewhere. */
  move(bytes: Uint8Array, from: number): Uint8Array {
    const { length } = bytes;
    if (length > maxSmallBytes) return viewFrom(bytes, from);
    if (this.#used + length > this.#slab.length) {
      this.#slab = new Uint8Array(slabBytes);
      this.#used = 0;
    }
    const at = this.#used;
    this.#used += length;
    this.#slab.set(bytes, at);
    return new Uint8Array(this.#slab.buffer, at + from, length - from);
  }
}

/** The bytes from there on. No Buffer: views of those take longer to make. */
export function viewFrom(bytes: Uint8Array, from: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + from, bytes.length - from);
}
