import type { Random } from '@cosi-ts/state';

/**
 * Chance that can be repeated: the same seed gives the same numbers. The generator is SplitMix32, a 32-bit counter whose
 * values are mixed (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). For simulations only.
 */
export function seededRandom(seed: number): Random {
  let counter = seed >>> 0;
  const next = (): number => {
    counter = (counter + 0x9e3779b9) >>> 0;
    let z = counter;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  return {
    float: () => next() / 2 ** 32,
    bytes: (length) => Uint8Array.from({ length }, () => next() & 0xff),
  };
}
