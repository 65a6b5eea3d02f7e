import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, MalformedError } from './byte-reader.js';

const reader = (...bytes: number[]) => new ByteReader(Uint8Array.from(bytes));

/** Takes the tags of a message with one known field, a text of number 1. */
class Texts {
  readonly found: string[] = [];

  read(from: ByteReader): void {
    for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
      if (tag === 0x0a) this.found.push(from.string());
      else from.skip(tag, 1);
    }
  }
}

function texts(...bytes: number[]): string[] {
  const found = new Texts();
  found.read(reader(...bytes));
  return found.found;
}

describe('a byte reader', () => {
  it('reads integers of every size and sign', () => {
    for (const value of [0, 1, 300, -1, -62_135_596_800, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      expect(new ByteReader(new BinaryWriter().int64(value).finish()).int64()).toBe(value);
    }
    for (const value of [0, 999_999_999, -1, 2 ** 31 - 1, -(2 ** 31)]) {
      expect(new ByteReader(new BinaryWriter().int32(value).finish()).int32()).toBe(value);
    }
  });

  it('reads text short and long, of any language, and a byte-order mark as text', () => {
    const long = 'x'.repeat(100);
    for (const text of ['', 'a', 'grüße', '日本', '🙂', '\ufeffa', long, `${long}é`]) {
      const bytes = new TextEncoder().encode(text);
      expect(texts(0x0a, bytes.length, ...bytes)).toEqual([text]);
      expect(reader(bytes.length, ...bytes).ownString()).toBe(text);
    }
  });

  it('reads what is not UTF-8 as U+FFFD', () => {
    expect(texts(0x0a, 2, 0xff, 0xfe)).toEqual(['\ufffd\ufffd']);
    expect(reader(2, 0xff, 0xfe).ownString()).toBe('\ufffd\ufffd');
  });

  it('reads the same text whatever it is likely to be', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 5 }), fc.constantFrom('a', 'ä', 'é', '\ufffd', 'ab'));
    const bytes = fc.oneof(
      text.map((each) => new TextEncoder().encode(each)),
      // Not UTF-8, but what a character's number looks like.
      fc.uint8Array({ maxLength: 3 }),
      text.map((each) => Uint8Array.from(each, (character) => character.charCodeAt(0))),
    );
    fc.assert(
      fc.property(bytes, text, (given, likely) => {
        const field = [given.length, ...given, 1, 0x61];
        const [plain, hinted] = [reader(...field), reader(...field)];
        expect(hinted.likelyString(likely)).toBe(plain.string());
        expect(hinted.string()).toBe('a');
      }),
      { numRuns: 500 },
    );
    expect(() => reader(3, 0x61, 0x62).likelyString('abc')).toThrow(MalformedError);
  });

  it('steps over fields that follow each other', () => {
    const fields = reader(0x0a, 1, 0x61, 0x0a, 2, 0x62, 0x63, 0x12, 0);
    fields.tag();
    expect([fields.repeatedBytes(0x0a), fields.at]).toEqual([1, 7]);
    expect(fields.tag()).toBe(0x12);
    expect(() => reader(1, 0x61, 0x0a, 2, 0x62).repeatedBytes(0x0a)).toThrow(MalformedError);
  });

  it('steps over fields that are not known', () => {
    const unknown = [0x10, 0xff, 0x01, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x22, 2, 0x0a, 0x0a, 0x2d, 1, 2, 3, 4];
    const group = [0x33, 0x0a, 1, 0x61, 0x3b, 0x3c, 0x34];
    expect(texts(...unknown, ...group, 0x0a, 1, 0x61)).toEqual(['a']);
  });

  it('takes tags that are longer than they need to be', () => {
    expect(texts(0x8a, 0x80, 0x80, 0x00, 1, 0x61)).toEqual(['a']);
  });

  it.each([
    ['a field number 0', [0x02, 0x00]],
    ['a length past the end', [0x0a, 2, 0x61]],
    ['a length past every array', [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['a length of more than 32 bits', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ['a varint without an end', [0x10, 0xff]],
    ['a varint of eleven bytes', [0x10, ...new Array<number>(10).fill(0x80), 0x00]],
    ['a known field of another wire type', [0x08, 1]],
    ['a wire type that there is not', [0x16, 1]],
    ['a group that ends without a beginning', [0x14]],
    ['a group without an end', [0x13, 0x18, 1]],
    ['a group that ends as another one', [0x13, 0x1c]],
    ['a fixed field past the end', [0x15, 1, 2, 3]],
  ])('refuses %s', (_what, bytes) => {
    expect(() => texts(...bytes)).toThrow(MalformedError);
  });

  it('keeps a nested message within its own length', () => {
    class Outer {
      inner: string[] = [];
      read(from: ByteReader): void {
        for (let tag = from.tag(); tag !== 0; tag = from.tag()) this.inner = from.message(new Texts()).found;
      }
    }
    const outer = new Outer();
    outer.read(reader(0x12, 3, 0x0a, 1, 0x61, 0x12, 3, 0x0a, 1, 0x62));
    expect(outer.inner).toEqual(['b']);
    // The text reaches past the end of its message, though not past the end of the bytes.
    expect(() => new Outer().read(reader(0x12, 3, 0x0a, 3, 0x61, 0x61, 0x61))).toThrow(MalformedError);
  });
});
