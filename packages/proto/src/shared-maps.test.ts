import { stringMapOf } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharedMap } from './shared-maps.js';

describe('shared maps', () => {
  it('are one for equal texts in a row', () => {
    const map = sharedMap(['app', 'web', 'tier', '1'], 4);
    expect(sharedMap(['app', 'web', 'tier', '1'], 4)).toBe(map);
    expect(sharedMap(['app', 'web', 'tier', '2', 'left', 'over'], 4)).toEqual({ app: 'web', tier: '2' });
  });

  it('are not kept of long texts, which anybody may send', () => {
    const [short, long] = [
      ['key', 'x'.repeat(1000)],
      ['key', 'x'.repeat(1100)],
    ];
    expect(sharedMap(short, 2)).toBe(sharedMap(short, 2));
    expect(sharedMap(long, 2)).not.toBe(sharedMap(long, 2));
    expect(sharedMap(long, 2)).toEqual({ key: 'x'.repeat(1100) });
  });

  it('have the entries that they were asked for, whatever was asked for before', () => {
    // Few texts, and the same ending for all: many lead to one place.
    const text = fc.constantFrom('', 'a', 'x-same', 'y-same', '__proto__', 'constructor');
    const texts = fc.array(fc.tuple(text, text), { maxLength: 12 }).map((pairs) => pairs.flat());
    fc.assert(
      fc.property(texts, (asked) => {
        const map = sharedMap(asked, asked.length);
        expect(Object.entries(map)).toEqual(Object.entries(stringMapOf(asked)));
        expect(Object.isFrozen(map)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
