import { getTextEncoding, WireType } from '@bufbuild/protobuf/wire';

/** Why bytes are no protobuf message. Callers say of which resource, and give it a code. */
export class MalformedError extends Error {}

/** How deep unknown groups may nest. Nothing that is written today has any. */
const maxGroupDepth = 32;

/** Reads the fields of a nested message: takes tags until there are no more. */
export interface MessageReader {
  read(reader: ByteReader): void;
}

/** Longer texts are left to the host's decoder. */
const maxShortText = 48;

/**
 * Short texts that were read lately. Namespaces, types, phases and labels come again and again: to find one of them takes
 * less time than to make it, and resources share it then.
 */
const recentTexts: (string | undefined)[] = new Array(4096).fill(undefined);

/** Room for the characters of a text, by its length: to make text of an array takes a third of what it takes of a view. */
const codesOf: readonly number[][] = Array.from({ length: maxShortText + 1 }, (_, length) => new Array(length).fill(0));

/**
 * Reads protobuf, strictly: a field never reaches past the message that it is in, and a known field with another wire
 * type than its own is an error. (The generated readers are lax in both, and so make something of damaged bytes.)
 * Nothing is copied and nothing is allocated ahead, whatever a length claims.
 */
export class ByteReader {
  private source: Uint8Array;
  #at = 0;
  #end: number;
  #low = 0;
  #high = 0;

  constructor(source: Uint8Array) {
    this.source = source;
    this.#end = source.length;
  }

  /** Goes on with other bytes, or a part of them. */
  begin(source: Uint8Array, start = 0, end = source.length): this {
    this.source = source;
    this.#at = start;
    this.#end = end;
    return this;
  }

  /** What is read. */
  get bytesRead(): Uint8Array {
    return this.source;
  }

  /** How many bytes have been read. */
  get at(): number {
    return this.#at;
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
    const length = this.#varint32();
    const start = this.#at;
    this.#advance(length);
    return (length <= maxShortText && this.#ascii(start)) || this.#utf8(start);
  }

  /** Text that is likely to be this one: then it takes no more than a comparison. */
  likelyString(likely: string): string {
    const before = this.#at;
    const length = this.#varint32();
    const start = this.#at;
    if (length === likely.length && length <= this.#end - start && this.#isText(start, likely)) {
      this.#at = start + length;
      return likely;
    }
    this.#at = before;
    return this.string();
  }

  /** Text that is not likely to come again. */
  ownString(): string {
    const length = this.#varint32();
    const start = this.#at;
    this.#advance(length);
    if (length > maxShortText) return this.#utf8(start);
    const { source } = this;
    const codes = codesOf[length] as number[];
    for (let i = 0; i < length; i++) {
      const code = source[start + i] as number;
      if (code > 0x7f) return this.#utf8(start);
      codes[i] = code;
    }
    return String.fromCharCode.apply(undefined, codes);
  }

  #utf8(start: number): string {
    return getTextEncoding().decodeUtf8(this.source.subarray(start, this.#at));
  }

  /** Short texts are mostly ASCII, and calling the host's decoder takes longer than they do. */
  #ascii(start: number): string | undefined {
    const { source } = this;
    let hash = 0;
    for (let at = start; at < this.#at; at++) {
      const code = source[at] as number;
      if (code > 0x7f) return undefined;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    const slot = (hash ^ (hash >>> 12)) & (recentTexts.length - 1);
    const recent = recentTexts[slot];
    if (recent?.length === this.#at - start && this.#isText(start, recent)) return recent;
    const codes = codesOf[this.#at - start] as number[];
    for (let i = 0; i < codes.length; i++) codes[i] = source[start + i] as number;
    const text = String.fromCharCode.apply(undefined, codes);
    recentTexts[slot] = text;
    return text;
  }

  /** Whether it is this text that begins there, and all of it is ASCII. */
  #isText(start: number, text: string): boolean {
    const { source } = this;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code !== source[start + i] || code > 0x7f) return false;
    }
    return true;
  }

  /** Steps over bytes. They lie between what is given back and {@link at}. */
  bytes(): number {
    const length = this.#varint32();
    const start = this.#at;
    this.#advance(length);
    return start;
  }

  /** Steps over a field of bytes whose tag was read, and those with the same tag that follow it. They end at {@link at}. */
  repeatedBytes(tag: number): number {
    const start = this.#at;
    for (;;) {
      this.bytes();
      if (this.#at === this.#end || this.source[this.#at] !== tag) return start;
      this.#at++;
    }
  }

  /** Reads a nested message, and gives its reader back. */
  message<R extends MessageReader>(inner: R): R {
    const length = this.#varint32();
    const outerEnd = this.#end;
    if (length > outerEnd - this.#at) throw new MalformedError(`unexpected end at byte ${outerEnd}`);
    this.#end = this.#at + length;
    inner.read(this);
    this.#end = outerEnd;
    return inner;
  }

  /** A signed 64-bit integer; past 2^53 only its magnitude is right. */
  int64(): number {
    this.#varint64();
    return this.#high * 0x1_0000_0000 + (this.#low >>> 0);
  }

  /** A signed 32-bit integer. */
  int32(): number {
    this.#varint64();
    return this.#low;
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
        this.#advance(this.#varint32());
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

  /** Tags and lengths: 64-bit varints on the wire, never past 2^32−1 in valid ones. */
  #varint32(): number {
    const first = this.source[this.#at] as number;
    if (first < 0x80 && this.#at < this.#end) {
      this.#at++;
      return first;
    }
    this.#varint64();
    if (this.#high !== 0) throw new MalformedError(`a tag or length before byte ${this.#at} exceeds 32 bits`);
    return this.#low >>> 0;
  }

  /** Leaves the two signed halves in `#low` and `#high`. */
  #varint64(): void {
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
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new MalformedError(`a varint before byte ${this.#at} has more than ten bytes`);
  }
}
