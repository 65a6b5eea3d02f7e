/** What LevelDB adds to the keys in tables: the type of the entry (1 byte), and 56 bits of sequence number. */
const trailerBytes = 8;

/** The type of an entry that says that there is nothing under its key any more. */
const deletion = 0;

/**
 * Goes through the entries of the blocks of tables. It stands on one entry at a time, and makes no objects of them: to load
 * a store is to go through all of its resources. Blocks whose structure is damaged make it throw a `RangeError`.
 */
export class BlockCursor {
  #block: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;
  #key = new Uint8Array(256);
  #keyLength = 0;
  #valueStart = 0;
  #valueEnd = 0;

  /** Goes on with a block: the bytes of `source` from `start` to `end`. */
  begin(source: Uint8Array, start: number, end: number): void {
    const view = new DataView(source.buffer, source.byteOffset + start, end - start);
    if (view.byteLength < 4) throw new RangeError('a block is too short');
    const entriesEnd = end - 4 - 4 * view.getUint32(view.byteLength - 4, true);
    if (entriesEnd < start) throw new RangeError('the end of a block is damaged');
    this.#block = source;
    this.#at = start;
    this.#end = entriesEnd;
  }

  /** The key begins with these bytes. What comes after {@link keyLength} is none of it. Good until the next step. */
  get key(): Uint8Array {
    return this.#key;
  }

  get keyLength(): number {
    return this.#keyLength - trailerBytes;
  }

  get isDeletion(): boolean {
    return this.#key[this.#keyLength - trailerBytes] === deletion;
  }

  /** The value lies in these bytes, which stay what they are. */
  get source(): Uint8Array {
    return this.#block;
  }

  get valueStart(): number {
    return this.#valueStart;
  }

  get valueEnd(): number {
    return this.#valueEnd;
  }

  /** Goes to the next entry whose key is another one; what follows under the same key is older. False: the block has none. */
  next(): boolean {
    while (this.#at < this.#end) if (this.#step()) return true;
    return false;
  }

  /** By key; of one key the newest entry comes first. */
  compare(other: BlockCursor): number {
    const order = compareBytes(this.#key, this.keyLength, other.#key, other.keyLength);
    if (order !== 0) return order;
    for (let i = 1; i <= trailerBytes; i++) {
      const newer = (other.#key[other.#keyLength - i] as number) - (this.#key[this.#keyLength - i] as number);
      if (newer !== 0) return newer;
    }
    return 0;
  }

  /** Goes to the next entry. Says whether its key is another one. */
  #step(): boolean {
    const shared = this.#varint();
    const rest = this.#varint();
    const valueLength = this.#varint();
    const start = this.#at;
    const length = shared + rest;
    const valueStart = start + rest;
    if (shared > this.#keyLength || length < trailerBytes || valueStart + valueLength > this.#end) {
      throw new RangeError('an entry of a block is damaged');
    }
    if (length > this.#key.length) this.#grow(length);
    const block = this.#block;
    const key = this.#key;
    let differsAt = this.#keyLength === length ? length : 0;
    for (let i = shared, from = start; i < length; i++, from++) {
      const byte = block[from] as number;
      if (key[i] === byte) continue;
      key[i] = byte;
      if (i < differsAt) differsAt = i;
    }
    this.#keyLength = length;
    this.#valueStart = valueStart;
    this.#valueEnd = this.#at = valueStart + valueLength;
    return differsAt < length - trailerBytes;
  }

  #grow(length: number): void {
    const key = new Uint8Array(2 * length);
    key.set(this.#key);
    this.#key = key;
  }

  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35 && this.#at < this.#end; shift += 7) {
      const byte = this.#block[this.#at++] as number;
      if (shift === 28 && byte > 0x0f) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError('a number in a block is damaged');
  }
}

/** In the order of bytes; only the first ones of each count. */
export function compareBytes(a: Uint8Array, aLength: number, b: Uint8Array, bLength: number): number {
  const length = Math.min(aLength, bLength);
  for (let i = 0; i < length; i++) {
    const order = (a[i] as number) - (b[i] as number);
    if (order !== 0) return order;
  }
  return aLength - bLength;
}
