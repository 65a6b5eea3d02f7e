import { describe, expect, it } from 'vitest';
import { Seeded } from './index.js';

const numbers = (seed: number) => {
  const random = new Seeded(seed);
  return Array.from({ length: 100 }, () => random.below(1000));
};

describe('Seeded', () => {
  it('gives the same numbers for the same seed, and others for another one', () => {
    expect(numbers(7)).toEqual(numbers(7));
    expect(numbers(7)).not.toEqual(numbers(8));
    expect(new Set(numbers(7)).size).toBeGreaterThan(80);
  });

  it('keeps to its bounds', () => {
    const random = new Seeded(1);
    for (let i = 0; i < 1000; i++) {
      expect(random.float()).toBeLessThan(1);
      expect(['a', 'b', 'c']).toContain(random.pick(['a', 'b', 'c']));
    }
  });
});
