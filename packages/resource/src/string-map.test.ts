import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareUtf8,
  emptyStringMap,
  mutableStringMap,
  type StringMap,
  sameStringMap,
  sortedKeys,
  stringMap,
} from './string-map.js';

const text = fc.string({ unit: 'binary', maxLength: 4 });
const map = fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '1', '10')), text);

function compareBytes(a: string, b: string): number {
  const [x, y] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return (x[i] as number) - (y[i] as number);
  }
  return x.length - y.length;
}

describe('compareUtf8', () => {
  it('S3: is the order of the bytes of UTF-8', () => {
    fc.assert(
      fc.property(text, text, text, (prefix, a, b) => {
        const expected = Math.sign(compareBytes(prefix + a, prefix + b));
        expect(Math.sign(compareUtf8(prefix + a, prefix + b))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('S3: puts code points past U+FFFF behind those before', () => {
    const ordered = ['', 'a', 'a\u0000', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10000}a', '\u{10ffff}'];
    expect([...ordered].reverse().sort(compareUtf8)).toEqual(ordered);
  });
});

describe('string maps', () => {
  it('R6: keys are sorted by the bytes of UTF-8', () => {
    expect(sortedKeys(stringMap({ '\u{10000}': '', b: '', '\uffff': '', '9': '', '10': '' }))).toEqual([
      '10',
      '9',
      'b',
      '\uffff',
      '\u{10000}',
    ]);
  });

  it('R8: hold their own entries and no others, whatever the keys', () => {
    fc.assert(
      fc.property(map, (source) => {
        const made = stringMap(source);
        expect(Object.entries(made)).toEqual(Object.entries(source));
        expect(sameStringMap(made, source)).toBe(true);
        expect(Object.entries(mutableStringMap(made))).toEqual(Object.entries(source));
      }),
    );
    expect(stringMap({}).constructor).toBeUndefined();
    expect('toString' in emptyStringMap).toBe(false);
    expect('toString' in mutableStringMap(emptyStringMap)).toBe(false);
  });

  it('R8: are copies that cannot be changed, and are given back as they are', () => {
    const source = { a: '1' };
    const made = stringMap(source);
    source.a = '2';
    expect(made).toHaveProperty('a', '1');
    for (const map of [made, emptyStringMap]) {
      expect(() => {
        (map as Record<string, string>).a = '3';
      }).toThrow(TypeError);
    }
    expect(() => Object.setPrototypeOf(made, {})).toThrow(TypeError);
    expect(() => {
      (Object.getPrototypeOf(made) as Record<string, string>).b = '3';
    }).toThrow(TypeError);
    expect(stringMap(made)).toBe(made);
    expect(stringMap(undefined)).toBe(emptyStringMap);
  });

  it('R8: do not take an object for their own that can still change', () => {
    const lookalike = Object.create(Object.getPrototypeOf(stringMap({ a: '1' }))) as Record<string, string>;
    lookalike.a = '1';
    expect(stringMap(lookalike)).not.toBe(lookalike);
  });

  it('R6: hold texts only', () => {
    for (const value of [1, null, undefined, {}]) {
      expect(() => stringMap({ a: value } as unknown as StringMap)).toThrow(TypeError);
    }
  });

  it('R7: are equal when they have the same entries', () => {
    expect(sameStringMap(stringMap({ a: '1', b: '2' }), stringMap({ b: '2', a: '1' }))).toBe(true);
    for (const other of [{}, { a: '1' }, { a: '1', b: '3' }, { a: '1', c: '2' }, { a: '1', b: '2', c: '' }]) {
      expect(sameStringMap(stringMap({ a: '1', b: '2' }), stringMap(other as StringMap))).toBe(false);
    }
    expect(sameStringMap(stringMap({ constructor: 'a' }), {})).toBe(false);
  });

  it.each([new Map([['a', 'b']]), ['a'], 'ab', 5, null])('R6: %o is no map of texts', (source) => {
    expect(() => stringMap(source as never)).toThrow('must be an object');
  });
});
