import { describe, expect, it } from 'vitest';
import { isExecutedOn, joinOutcome } from './join.js';

const counts = (text: string) => {
  const of = (letter: string) => text.split(letter).length - 1;
  return { total: text.length, over: text.length - of('?'), succeeded: of('s'), failed: of('f') };
};

describe('joins', () => {
  // s: succeeded, f: failed, n: skipped or cancelled, ?: not over
  it.each([
    ['all', '', 'succeeded'],
    ['all', 's', 'succeeded'],
    ['all', 's?', 'open'],
    ['all', 'f?', 'open'],
    ['all', 'ss', 'succeeded'],
    ['all', 'sn', 'succeeded'],
    ['all', 'nn', 'neutral'],
    ['all', 'sf', 'failed'],
    ['all', 'nf', 'failed'],
    [1, 's??', 'succeeded'],
    [1, 'fs?', 'succeeded'],
    [1, 'ff?', 'open'],
    [1, 'ffn', 'failed'],
    [1, 'nnn', 'neutral'],
    [2, 's??', 'open'],
    [2, 'ss?', 'succeeded'],
    [2, 'snn', 'neutral'],
    [2, 'snf', 'failed'],
  ] as const)('E6: of %s, %j comes to %s', (join, needs, outcome) => {
    expect(joinOutcome(join, counts(needs))).toBe(outcome);
  });

  it.each([
    ['success', 'succeeded', true],
    ['success', 'failed', false],
    ['success', 'neutral', false],
    ['failure', 'succeeded', false],
    ['failure', 'failed', true],
    ['failure', 'neutral', false],
    ['always', 'succeeded', true],
    ['always', 'failed', true],
    ['always', 'neutral', true],
  ] as const)('E6: a step on %s is executed after %s: %s', (on, outcome, isExecuted) => {
    expect(isExecutedOn(on, outcome)).toBe(isExecuted);
  });
});
