import { describe, expect, it } from 'vitest';
import { defaultFeatures } from './features.js';
import { stateConformance } from './state-conformance.js';

/** The titles that are registered for a state with these features. */
function titles(supports: object): string[] {
  const registered: string[] = [];
  stateConformance({
    describe: (_, body) => body(),
    it: (title) => registered.push(title),
    factory: () => {
      throw new Error('no test runs');
    },
    supports,
  });
  return registered;
}

describe('what the suite registers', () => {
  const all = titles({ overrunEvents: defaultFeatures.historyEvents, openWatches: true });

  it('has titles that begin with rules, each once', () => {
    for (const title of all) expect(title).toMatch(/^[RSWA]\d+(, [RSWA]\d+)*: \S/);
    expect(all.length).toBe(new Set(all).size);
  });

  it('shows every rule of states that can be seen from outside', () => {
    const shown = new Set(all.flatMap((title) => title.slice(0, title.indexOf(':')).split(', ')));
    const rules = [
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20].map((number) => `S${number}`),
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14].map((number) => `W${number}`),
      ...['A1', 'A2'],
    ];
    expect(rules.filter((rule) => !shown.has(rule))).toEqual([]);
  });

  it.each(['labelQueries', 'idQueries', 'tailEvents', 'bookmarks', 'namespaces', 'nameRules'])(
    'leaves tests of %s out when it is absent, and tests that it is',
    (feature) => {
      const without = titles({ overrunEvents: defaultFeatures.historyEvents, openWatches: true, [feature]: false });
      expect(all.filter((title) => !without.includes(title))).not.toEqual([]);
      expect(without.filter((title) => !all.includes(title))).toContainEqual(
        expect.stringContaining('as the features say'),
      );
    },
  );

  it('leaves out what needs more history than there is', () => {
    expect(titles({ historyEvents: 1 }).length).toBeLessThan(titles({ historyEvents: 100 }).length);
  });
});
