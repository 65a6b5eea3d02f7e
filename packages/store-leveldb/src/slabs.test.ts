import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Slabs } from './slabs.js';

describe('slabs', () => {
  it('give the bytes that they were given, whatever they were given before and after', () => {
    const lengths = fc.oneof(fc.integer({ min: 4, max: 600 }), fc.integer({ min: 3900, max: 4200 }));
    fc.assert(
      fc.property(fc.array(lengths, { maxLength: 60 }), fc.integer({ min: 0, max: 4 }), (all, from) => {
        const slabs = new Slabs();
        const given = all.map((length, i) => new Uint8Array(length).fill(i));
        const moved = given.map((bytes) => slabs.move(bytes, from));
        expect(moved.every((bytes, i) => Buffer.from(bytes).equals((given[i] as Uint8Array).subarray(from)))).toBe(
          true,
        );
      }),
    );
  });

  it('have room for many small ones each, and leave large ones where they are', () => {
    const slabs = new Slabs();
    const moved = Array.from({ length: 1000 }, () => slabs.move(new Uint8Array(300), 4));
    expect(new Set(moved.map(({ buffer }) => buffer)).size).toBe(5);
    const large = new Uint8Array(10_000);
    expect(slabs.move(large, 4).buffer).toBe(large.buffer);
  });
});
