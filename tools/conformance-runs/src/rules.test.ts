import { describe, expect, it } from 'vitest';
import { compareRules, rulesOf } from './rules.js';

describe('rules in titles', () => {
  it.each([
    ['S4: one', ['S4']],
    ['S4, S7: two', ['S4', 'S7']],
    ['N1 & W12: two', ['N1', 'W12']],
    ['no rule, S4: here', []],
    ['S4x: none', []],
  ])('%s', (title, rules) => {
    expect(rulesOf(title)).toEqual(rules);
  });

  it('are in the order in which they are written down', () => {
    expect(['A1', 'W2', 'S10', 'S2', 'R16'].toSorted(compareRules)).toEqual(['R16', 'S2', 'S10', 'W2', 'A1']);
  });
});
