import { compareUtf8, isInvalidArgument, type Pointer } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventKey,
  keyNumber,
  keyPointer,
  keyText,
  kindPrefixText,
  namespaceKey,
  namespaceRange,
  resourceKey,
} from './keys.js';

/** Strings as peers may have them: any but lone surrogates, with a liking for what an escape could trip over. */
const part = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('\0', '\u0001', '\u00ff', 'a', '/', '..', ' ', '\uffff', '😀') }),
);
const pointer = fc.record({ namespace: part, type: part, id: part });

describe('keys', () => {
  it('S17: keep any namespace, type and id exactly', () => {
    fc.assert(
      fc.property(pointer, (pointer) => {
        expect(keyPointer(resourceKey(pointer))).toEqual(pointer);
        expect(keyText(namespaceKey(pointer.namespace))).toBe(pointer.namespace);
        expect(Buffer.from(resourceKey(pointer).toString())).toEqual(resourceKey(pointer));
      }),
    );
    const long: Pointer = { namespace: 'n'.repeat(5000), type: '', id: '\0'.repeat(300) };
    expect(keyPointer(resourceKey(long))).toEqual(long);
  });

  it('S3: sort by namespace, type and id, in the order of their UTF-8 bytes', () => {
    const order = (a: Pointer, b: Pointer) =>
      compareUtf8(a.namespace, b.namespace) || compareUtf8(a.type, b.type) || compareUtf8(a.id, b.id);
    fc.assert(
      fc.property(pointer, pointer, (a, b) => {
        expect(Math.sign(Buffer.compare(resourceKey(a), resourceKey(b)))).toBe(Math.sign(order(a, b)));
      }),
    );
  });

  it('S15: the range of a namespace and the prefix of a kind hold their own keys, and no others', () => {
    fc.assert(
      fc.property(pointer, pointer, (a, b) => {
        const key = resourceKey(a);
        const { start, end } = namespaceRange(b.namespace);
        const within = Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0;
        expect(within).toBe(a.namespace === b.namespace);
        const prefix = Buffer.from(kindPrefixText(b));
        expect(key.subarray(0, prefix.length).equals(prefix)).toBe(a.namespace === b.namespace && a.type === b.type);
      }),
    );
  });

  it('S17: refuse what UTF-8 cannot express', () => {
    for (const field of ['namespace', 'type', 'id'] as const) {
      const broken = { namespace: 'n', type: 't', id: 'i', [field]: 'x\ud800' };
      expect(() => resourceKey(broken)).toThrow(expect.toSatisfy(isInvalidArgument));
    }
  });

  it('positions sort as numbers', () => {
    const position = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(position, position, (a, b) => {
        expect(keyNumber(eventKey(a))).toBe(a);
        expect(Math.sign(Buffer.compare(eventKey(a), eventKey(b)))).toBe(Math.sign(a - b));
      }),
    );
  });

  it('are not read when they are damaged', () => {
    expect(keyPointer(Buffer.from('rnamespace'))).toBeUndefined();
    expect(keyPointer(Buffer.from([0x72, 0x00, 0x03]))).toBeUndefined();
    expect(keyPointer(Buffer.from([0x72, 0x61, 0x00, 0x01, 0x62, 0x00, 0x01, 0xff]))).toBeUndefined();
    expect(keyNumber(Buffer.from([0x65, 1]))).toBeUndefined();
    expect(keyNumber(Buffer.from([0x65, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))).toBeUndefined();
  });
});
