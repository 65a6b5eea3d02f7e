import { describe, expect, it } from 'vitest';
import type { TestOutcome } from './outcome.js';
import { type SuiteResult, summaryOf, tableOf, withTable } from './table.js';

const outcome = (verdict: TestOutcome['verdict'], note?: string): TestOutcome => ({
  title: 'a test',
  verdict,
  note,
  tookMs: 1,
});

const results: readonly SuiteResult[] = [
  {
    suite: { name: 'one', direction: 'a → b', backend: 'memory', remark: 'a remark', run: async () => [] },
    outcomes: [outcome('passed', 'the second run passed'), outcome('failed', 'why'), outcome('skipped')],
  },
];

describe('the table', () => {
  it('counts, and says what there is to say', () => {
    expect(tableOf(results)).toBe(
      [
        '| suite | direction | backend | tests | passed | failed | skipped | remarks |',
        '| ----- | --------- | ------- | ----- | ------ | ------ | ------- | --- |',
        '| one   | a → b     | memory  | 3     | 1      | 1      | 1       | a remark; a test: the second run passed |',
      ].join('\n'),
    );
    expect(summaryOf(results)).toBe('1 suites, 3 tests: 1 passed, 1 failed, 1 skipped');
  });

  it('takes the place of the one before', () => {
    const text = 'before\n<!-- results -->\nold\n<!-- end of results -->\nafter\n';
    const changed = withTable(text, 'new');
    expect(changed).toBe('before\n<!-- results -->\n\nnew\n\n<!-- end of results -->\nafter\n');
    expect(withTable(changed, 'newer')).toBe(changed.replace('new', 'newer'));
    expect(() => withTable('no place', 'new')).toThrow(TypeError);
  });
});
