import type { Random } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backoff, resolveBackoff } from './backoff.js';

const always = (float: number): Random => ({ float: () => float, bytes: (length) => new Uint8Array(length) });

describe('backoff', () => {
  it('doubles from half a second to a minute, and begins again after a reset', () => {
    const backoff = new Backoff(always(0.5));
    const delays = Array.from({ length: 9 }, () => backoff.nextMs());
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(backoff.attempts).toBe(9);
    backoff.reset();
    expect(backoff.nextMs()).toBe(500);
  });

  it('C17: stays within the bound and the jitter after any number of attempts', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        fc.integer({ min: 1, max: 3000 }),
        (float, attempts) => {
          const backoff = new Backoff(always(float));
          let last = 0;
          for (let i = 0; i < attempts; i++) last = backoff.nextMs();
          expect(last).toBeGreaterThanOrEqual(400);
          expect(last).toBeLessThanOrEqual(72_000);
        },
      ),
    );
  });

  it.each([
    [{ initialMs: 0 }, 'initialMs'],
    [{ maxMs: 1 }, 'maxMs'],
    [{ maxMs: Number.POSITIVE_INFINITY }, 'maxMs'],
    [{ factor: 0.5 }, 'factor'],
    [{ jitter: 1 }, 'jitter'],
    [{ jitter: Number.NaN }, 'jitter'],
  ])('refuses %o', (options, field) => {
    expect(() => resolveBackoff(options)).toThrow(field);
  });
});
