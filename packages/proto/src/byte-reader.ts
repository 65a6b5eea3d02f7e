import { getTextEncoding, WireType } from '@bufbuild/protobuf/wire';

/** Why bytes are no protobuf message. Callers say of which resource, and give it a code. */
export class MalformedError extends Error {}

/** How deep unknown groups may nest. Nothing that is written today has any. */
const maxGroupDepth = 32;

/** The tag of a length-delimited field: text, bytes, or a message. */
export function tagOf(field: number, wireType: WireType = WireType.LengthDelimited): number {
  return (field << 3) | wireType;
}

/**
 * Reads protobuf, strictly: a field never reaches past the message that it is in, and a known field with another wire
 * type than its own is an error. (The generated readers are lax in both, and so make something of damaged bytes.)
 * Nothing is copied and nothing is allocated ahead, whatever a length claims.
 */
export class ByteReader {
  #at = 0;
  #end: number;

  constructor(private readonly source: Uint8Array) {
    this.#end = source.length;
  }

  /** The next tag, or 0 at the end of the message. Field numbers are checked, wire types by whoever reads on. */
  tag(): number {
    if (this.#at === this.#end) return 0;
    const tag = this.#varint32();
    if (tag >>> 3 === 0) throw new MalformedError(`illegal field number 0 at byte ${this.#at - 1}`);
    return tag;
  }

  /** Text. Bytes that are not UTF-8 read as U+FFFD, because peers store such text without a check. */
  string(): string {
    const { start, end } = this.#delimited();
    return start === end ? '' : getTextEncoding().decodeUtf8(this.source.subarray(start, end));
  }

  /** A view into the source. */
  view(): Uint8Array {
    const { start, end } = this.#delimited();
    return this.source.subarray(start, end);
  }

  /** Reads a nested message with `read`, which has to take tags until there are no more. */
  message<T>(read: (reader: ByteReader) => T): T {
    const outer = this.#end;
    const { start, end } = this.#delimited();
    this.#at = start;
    this.#end = end;
    const value = read(this);
    this.#end = outer;
    return value;
  }

  /** A signed 64-bit integer; past 2^53 only its magnitude is right. */
  int64(): number {
    const [low, high] = this.#varint64();
    return high * 0x1_0000_0000 + (low >>> 0);
  }

  /** A signed 32-bit integer. */
  int32(): number {
    return this.#varint64()[0];
  }

  /** Steps over a field that is not known. A known field lands here when its wire type is wrong: `known` says so. */
  skip(tag: number, known: number): void {
    if (tag >>> 3 <= known) throw new MalformedError(`field ${tag >>> 3} has wire type ${tag & 7}`);
    this.#skip(tag, maxGroupDepth);
  }

  #skip(tag: number, depth: number): void {
    switch (tag & 7) {
      case WireType.Varint:
        this.#varint64();
        return;
      case WireType.Bit64:
        this.#advance(8);
        return;
      case WireType.LengthDelimited:
        this.#delimited();
        return;
      case WireType.StartGroup:
        if (depth === 0) throw new MalformedError(`groups nest deeper than ${maxGroupDepth}`);
        for (;;) {
          const inner = this.tag();
          if (inner === 0) throw new MalformedError('a group has no end');
          if ((inner & 7) !== WireType.EndGroup) this.#skip(inner, depth - 1);
          else if (inner >>> 3 === tag >>> 3) return;
          else throw new MalformedError(`group ${tag >>> 3} ends as group ${inner >>> 3}`);
        }
      case WireType.Bit32:
        this.#advance(4);
        return;
      default:
        throw new MalformedError(`illegal wire type ${tag & 7} of field ${tag >>> 3}`);
    }
  }

  #advance(length: number): void {
    if (length > this.#end - this.#at) throw new MalformedError(`unexpected end at byte ${this.#end}`);
    this.#at += length;
  }

  #delimited(): { start: number; end: number } {
    const length = this.#varint32();
    const start = this.#at;
    this.#advance(length);
    return { start, end: this.#at };
  }

  /** Tags and lengths: 64-bit varints on the wire, never past 2^32−1 in valid ones. */
  #varint32(): number {
    const first = this.source[this.#at];
    if (first !== undefined && first < 0x80 && this.#at < this.#end) {
      this.#at++;
      return first;
    }
    const [low, high] = this.#varint64();
    if (high !== 0) throw new MalformedError(`a tag or length before byte ${this.#at} exceeds 32 bits`);
    return low >>> 0;
  }

  /** The two signed halves. */
  #varint64(): [low: number, high: number] {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at === this.#end) throw new MalformedError(`unexpected end at byte ${this.#end}`);
      const byte = this.source[this.#at++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) return [low, high | 0];
    }
    throw new MalformedError(`a varint before byte ${this.#at} has more than ten bytes`);
  }
}
