import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FanOut, type FanOutLimits } from './fan-out.js';

const none = () => false;
const all = (limits: FanOutLimits, count = 4) => new FanOut(Array(count).fill('x'), limits, none);

function begin(fanOut: FanOut): number[] {
  const begun: number[] = [];
  for (let next = fanOut.next(); next !== undefined; next = fanOut.next()) begun.push(next);
  return begun;
}

describe('a fan-out', () => {
  it('E9: begins as many as it may, in the order of the list', () => {
    const fanOut = all({ parallel: 2, maxFailures: 0 });
    expect(begin(fanOut)).toEqual([0, 1]);
    fanOut.ended('succeeded');
    expect(begin(fanOut)).toEqual([2]);
    expect(begin(all({ parallel: undefined, maxFailures: 0 }))).toEqual([0, 1, 2, 3]);
  });

  it('E9: begins none that was begun before', () => {
    const fanOut = new FanOut(
      ['a', 'b', 'c', 'd'],
      { parallel: 3, maxFailures: 0 },
      (index) => index === 0 || index === 2,
    );
    fanOut.found();
    fanOut.ended('succeeded');
    fanOut.found();
    expect(begin(fanOut)).toEqual([1, 3]);
  });

  it.each([
    [0, ['succeeded', 'succeeded'], 'succeeded'],
    [0, ['failed'], 'failed'],
    [1, ['failed', 'succeeded'], 'succeeded'],
    [1, ['failed', 'failed'], 'failed'],
    [0, ['cancelled', 'succeeded'], 'cancelled'],
  ] as const)('E9: with %d failures allowed, %j come to %s', (maxFailures, outcomes, outcome) => {
    const fanOut = all({ parallel: 1, maxFailures }, 2);
    for (const each of outcomes) {
      expect(begin(fanOut)).toHaveLength(1);
      fanOut.ended(each);
    }
    expect(begin(fanOut)).toEqual([]);
    expect(fanOut.outcome).toBe(outcome);
  });

  it('E9: of an empty list is a success', () => {
    expect(all({ parallel: 1, maxFailures: 0 }, 0).outcome).toBe('succeeded');
  });

  it('E17: that is stopped begins none, and waits for those that are open', () => {
    const fanOut = all({ parallel: 1, maxFailures: 0 });
    begin(fanOut);
    fanOut.stop();
    expect(fanOut.outcome).toBeUndefined();
    fanOut.ended('succeeded');
    expect(begin(fanOut)).toEqual([]);
    expect(fanOut.outcome).toBe('cancelled');
  });

  it('E9: never has more open than it may, and begins each item once', () => {
    const ends = fc.array(fc.constantFrom('succeeded', 'failed', 'cancelled'), { maxLength: 30 });
    fc.assert(
      fc.property(ends, fc.integer({ min: 1, max: 5 }), fc.nat(3), (outcomes, parallel, maxFailures) => {
        const fanOut = all({ parallel, maxFailures }, 12);
        const begun = begin(fanOut);
        for (const outcome of outcomes) {
          if (fanOut.open === 0) break;
          fanOut.ended(outcome as 'succeeded');
          begun.push(...begin(fanOut));
          expect(fanOut.open).toBeLessThanOrEqual(parallel);
        }
        expect(begun).toEqual(begun.map((_, index) => index));
      }),
    );
  });
});
