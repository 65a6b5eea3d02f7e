import { describe, expect, it } from 'vitest';
import { expression } from '../testing/definitions.js';
import { afterRound } from './rounds.js';

const repeat = { until: expression(({ index }) => index === 2, 'index == 2'), limit: 4, delayMs: 50 };

describe('rounds', () => {
  it.each([
    [0, { next: 'round', dueMs: 150 }],
    [2, { next: 'none' }],
    [3, { next: 'failure', failure: { reason: 'rejected', message: 'after 4 rounds, index == 2 is still not so' } }],
  ] as const)('E10: after round %d comes %j', (index, after) => {
    expect(afterRound(repeat, index, { index }, 100)).toEqual(after);
  });

  it('E10: a condition that is none fails', () => {
    const odd = { ...repeat, until: expression(() => 'yes', '"yes"') };
    expect(afterRound(odd, 0, {}, 0)).toMatchObject({
      next: 'failure',
      failure: { message: '"yes" is "yes", not true or false' },
    });
  });
});
