import type { Slabs } from './slabs.js';

/** Longer texts are left to the host's encoder. */
const maxShortText = 64;

/** Writes into the room itself, where the encoder that the protobuf library takes would make new memory for each text. */
const encoder = new TextEncoder();

/** What the room has grown to for a message larger than this is not kept. */
const maxKeptBytes = 1024 * 1024;

/**
 * Writes protobuf into room that it uses again for the next message. (The writer of the protobuf library makes new
 * memory for each, and gives each piece of bytes a buffer of its own, which takes longer than to write them.)
 */
export class ByteWriter {
  #bytes = new Uint8Array(4096);
  #at = 0;
  #plain = true;

  /** Whether all text since the last {@link finish} was short and ASCII, and so has no lone surrogates. */
  get plain(): boolean {
    return this.#plain;
  }

  /** A tag or a length: an integer from 0 to 2^32−1. */
  uint32(value: number): this {
    this.#reserve(5);
    this.#varint(value);
    return this;
  }

  /** A signed 32-bit integer that is not negative, or a 64-bit one from −2^53 to 2^53. */
  int64(value: number): this {
    this.#reserve(10);
    let low = (value % 0x1_0000_0000) | 0;
    let high = Math.floor(value / 0x1_0000_0000) | 0;
    while (high !== 0 || low >>> 0 > 0x7f) {
      this.#bytes[this.#at++] = (low & 0x7f) | 0x80;
      low = (low >>> 7) | (high << 25);
      high >>>= 7;
    }
    this.#bytes[this.#at++] = low;
    return this;
  }

  /** A signed or unsigned 64-bit integer. */
  bigint(value: bigint): this {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return this.int64(number);
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#at++] = Number(rest);
    return this;
  }

  /** Text in UTF-8, its length in front. */
  string(text: string): this {
    const { length } = text;
    // A UTF-16 unit takes at most three bytes.
    this.#reserve(5 + 3 * length);
    if (length <= maxShortText && this.#ascii(text)) return this;
    this.#plain = false;
    this.#utf8(text);
    return this;
  }

  /** Bytes, their length in front. */
  bytes(bytes: Uint8Array): this {
    return this.uint32(bytes.length).raw(bytes);
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  /** Begins a nested message, whose length is put in front by {@link end}. Gives where it begins. */
  begin(): number {
    this.#reserve(1);
    return ++this.#at;
  }

  /** @param begin what {@link begin} gave */
  end(begin: number): void {
    const length = this.#at - begin;
    const lengthBytes = varintLength(length);
    if (lengthBytes > 1) {
      this.#reserve(lengthBytes);
      this.#bytes.copyWithin(begin - 1 + lengthBytes, begin, this.#at);
    }
    this.#at = begin - 1;
    this.#varint(length);
    this.#at += length;
  }

  /** All that was written since the last time, in one of the slabs. */
  finish(slabs: Slabs): Uint8Array {
    const bytes = slabs.copy(this.#bytes, this.#at);
    this.clear();
    return bytes;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#at = 0;
    this.#plain = true;
    if (this.#bytes.length > maxKeptBytes) this.#bytes = new Uint8Array(4096);
  }

  /** Most text is short and ASCII, and calling the host's encoder takes longer than that does. */
  #ascii(text: string): boolean {
    const bytes = this.#bytes;
    const { length } = text;
    const begin = this.#at + 1;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[begin + i] = code;
    }
    bytes[this.#at] = length;
    this.#at = begin + length;
    return true;
  }

  #utf8(text: string): void {
    const begin = this.begin();
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(begin));
    this.#at = begin + written;
    this.end(begin);
  }

  #varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  #reserve(length: number): void {
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length++;
  return length;
}
