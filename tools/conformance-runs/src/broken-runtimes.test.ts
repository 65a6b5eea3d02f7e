import { type RuntimePackage, runtimeConformance } from '@cosi-ts/conformance/runtime';
import * as library from '@cosi-ts/runtime';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../packages/state-inmem/src/internal.js';
import { brokenRuntimes } from './broken-runtimes/broken-runtimes.js';
import { rulesOf } from './rules.js';
import type {} from './task-meta.js';
import { TurnsClock } from './turns.js';

/** In turns of the event loop: far more than a runtime on a state in memory needs. */
const patience = { waitMs: 400, testMs: 8000 };

/** The titles of the tests that fail, each with its error. */
async function failuresOf(runtime: RuntimePackage): Promise<ReadonlyMap<string, unknown>> {
  using clock = new TurnsClock();
  const tests: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  runtimeConformance({
    describe: (_, body) => body(),
    it: (title, body) => tests.push({ title, body }),
    runtime,
    factory: () => {
      const state = new InMemoryState({ history: { maxEvents: 80 } });
      return { state, openWatches: () => inspect(state).watches };
    },
    supports: { openWatches: true, overrunEvents: 200 },
    clock,
    ...patience,
  });
  const failures = new Map<string, unknown>();
  for (const { title, body } of tests) {
    await body().catch((error: unknown) => failures.set(title, error ?? new Error('rejected with nothing')));
  }
  return failures;
}

/** The rules about runtimes that can be seen from outside, and broken by what is around a good runtime. */
const rules = [
  ...Array.from({ length: 18 }, (_, i) => `C${i + 1}`),
  ...Array.from({ length: 10 }, (_, i) => `Q${i + 1}`),
  ...Array.from({ length: 7 }, (_, i) => `G${i + 1}`),
  'S19',
  'S20',
  'W13',
  'W16',
];

describe('broken runtimes', () => {
  it('one that is not broken passes', { timeout: 60_000 }, async () => {
    expect([...(await failuresOf(library))]).toEqual([]);
  });

  it.each(rules)('one of them breaks %s', (rule) => {
    expect(brokenRuntimes.map((broken) => broken.rule)).toContain(rule);
  });

  for (const { rule, name, runtime, others: most } of brokenRuntimes) {
    it(`${rule}: ${name}`, { timeout: 60_000 }, async ({ task }) => {
      const titles = [...(await failuresOf(runtime)).keys()];
      const isOwn = (title: string) => rulesOf(title).includes(rule);
      const [own, others] = [titles.filter(isOwn), titles.filter((title) => !isOwn(title))];
      task.meta.caught = { own, others };
      expect(own, 'the tests of the rule that fail').not.toEqual([]);
      expect(others.length, `other tests fail too:\n${others.join('\n')}`).toBeLessThanOrEqual(most);
    });
  }
});
