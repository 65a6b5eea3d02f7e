import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Timers } from './timers.js';

describe('timers', () => {
  it('E21: give what is due by its time, and equals in the order in which they came', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (times) => {
        const timers = new Timers<number>();
        times.forEach((atMs, place) => {
          timers.add(atMs, place);
        });
        const expected = times
          .map((atMs, place) => ({ atMs, place }))
          .sort((a, b) => a.atMs - b.atMs || a.place - b.place);
        for (const { atMs, place } of expected) {
          expect(timers.nextMs).toBe(atMs);
          expect(timers.take(atMs - 1)).toBeUndefined();
          expect(timers.take(atMs)).toBe(place);
        }
        expect(timers.nextMs).toBeUndefined();
        expect(timers.take(1000)).toBeUndefined();
      }),
    );
  });
});
