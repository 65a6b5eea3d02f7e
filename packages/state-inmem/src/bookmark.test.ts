import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBookmark, encodeBookmark } from './bookmark.js';

const epochs = fc.uint8Array({ minLength: 8, maxLength: 8 });

describe('bookmarks', () => {
  it('W8: are the bytes of the epoch, then the position as a big-endian 64-bit integer', () => {
    const epoch = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    expect(encodeBookmark(epoch, 0x0102_0304_0506)).toEqual(
      Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 1, 2, 3, 4, 5, 6),
    );
  });

  it('W8: read back as they were written, and agree with a DataView', () => {
    fc.assert(
      fc.property(epochs, fc.nat({ max: Number.MAX_SAFE_INTEGER }), (epoch, position) => {
        const bytes = encodeBookmark(epoch, position);
        expect(decodeBookmark(bytes)).toEqual({ epoch, position });
        expect(new DataView(bytes.buffer).getBigInt64(8)).toBe(BigInt(position));
      }),
    );
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['too few bytes', new Uint8Array(15)],
    ['too many bytes', new Uint8Array(17)],
    ['a negative position', new Uint8Array(16).fill(0xff)],
    ['a text', 'bookmark'],
    ['null', null],
    ['another kind of array', new Array(16).fill(0)],
  ])('W9: %s is no bookmark', (_, bytes) => {
    expect(decodeBookmark(bytes)).toBeUndefined();
  });

  it('W9: a position past every number that can be counted to is read as a large one', () => {
    const bytes = new Uint8Array(16).fill(0xff);
    bytes[8] = 0x7f;
    expect(decodeBookmark(bytes)?.position).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });

  it('is read from a part of a larger buffer too', () => {
    const bytes = new Uint8Array(40);
    bytes.set(encodeBookmark(new Uint8Array(8).fill(9), 7), 11);
    expect(decodeBookmark(bytes.subarray(11, 27))?.position).toBe(7);
  });
});
