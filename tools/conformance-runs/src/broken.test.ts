import { describe, expect, it } from 'vitest';
import { brokenStates } from './broken/broken-states.js';
import { caught, caughtByModel } from './catch.js';
import type {} from './task-meta.js';

/** The rules about states that can be seen from outside. */
const rules = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20].map((number) => `S${number}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14].map((number) => `W${number}`),
];

/**
 * `npm run conformance` runs the whole suite on each of them. Else it is all tests of the rule that is broken, and every
 * fourth of the others: of the next state the next ones, so that all are run on some forty states.
 */
const every = process.env.CONFORMANCE_WHOLE === undefined ? 4 : 1;

describe('broken states', () => {
  it.each(rules)('one of them breaks %s', (rule) => {
    expect(brokenStates.map((broken) => broken.rule)).toContain(rule);
  });

  for (const [first, broken] of brokenStates.entries()) {
    it(`${broken.rule}: ${broken.name}`, { timeout: 60_000 }, async ({ task }) => {
      const { own, others } = await caught(broken, { every, first });
      task.meta.caught = { own, others };
      expect(own, 'the tests of the rule that fail').not.toEqual([]);
      expect(others.length, `other tests fail too:\n${others.join('\n')}`).toBeLessThanOrEqual(broken.others);
    });
  }
});

describe('the model', () => {
  const names = [
    'a list is sorted by UTF-16 units',
    'an update sets created anew',
    'the version is checked, and written a moment later',
    'the present is read when the watch is first read',
    'updates do not bring the resource before',
    'the tail is one event short',
    'the event of the bookmark comes again',
    'what stops matching is not told',
    'the slowest watch holds up the others',
  ];
  it.each(names)('finds that %s, and tells the seed', { timeout: 60_000 }, async (name) => {
    const broken = brokenStates.find((state) => state.name === name);
    expect(broken).toBeDefined();
    if (broken === undefined) return;
    const error = await caughtByModel(broken, 7);
    expect(String(error)).toContain('seed: 7');
  });
});
