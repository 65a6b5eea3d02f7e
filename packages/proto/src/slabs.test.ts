import { describe, expect, it } from 'vitest';
import { Slabs } from './slabs.js';

describe('Slabs', () => {
  const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => i);

  it('puts small pieces together, each with contents of its own', () => {
    const slabs = new Slabs(8 * 1024);
    const pieces = Array.from({ length: 100 }, (_, i) => slabs.moved(bytes(i + 1)));
    for (const [i, piece] of pieces.entries()) expect(piece).toEqual(bytes(i + 1));
    expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(1);
  });

  it('leaves pieces of more than a third of a slab where they are, and copies them when asked to', () => {
    const slabs = new Slabs(8 * 1024);
    const large = bytes(5000);
    expect(slabs.moved(large)).toBe(large);
    const copy = slabs.copy(large, 4999);
    expect(copy).toEqual(bytes(4999));
    expect(copy.buffer).not.toBe(large.buffer);
  });

  it('leaves what shares memory already where it is', () => {
    const view = bytes(10).subarray(2);
    expect(new Slabs(1024).moved(view)).toBe(view);
  });

  it('copies the beginning', () => {
    expect(new Slabs(1024).copy(bytes(10), 3)).toEqual(bytes(3));
  });
});
