/** Reads the numbers and strings of LevelDB's formats, one after the other. Past the end it throws a `RangeError`. */
export class ByteCursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get at(): number {
    return this.#at;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Seven bits a byte, the lowest first. Numbers beyond 2^53 are not exact. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.#bytes.readUInt8(this.#at++);
      value += (byte & 0x7f) * scale;
      if (byte >= 0x80) continue;
      // Written so that a bit more would change nothing: LevelDB does not.
      if (byte === 0 && scale > 1) throw new RangeError('a number has more bytes than it needs');
      return value;
    }
    throw new RangeError('a number has too many bytes');
  }

  /** A view. */
  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('it ends too early');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** A view of a string with its length in front. */
  string(): Buffer {
    return this.bytes(this.varint());
  }
}
