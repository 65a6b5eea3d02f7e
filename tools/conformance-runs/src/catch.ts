import { modelConformance } from '@cosi-ts/conformance';
import type { BrokenState } from './broken/broken-state.js';
import { outcomes } from './collect.js';
import { impatient } from './turn-clock.js';

/** Which tests of the suite a broken state fails. */
export interface Catch {
  /** Titles of the tests of the broken rule that failed. */
  readonly own: readonly string[];
  /** Titles of the other tests that failed. */
  readonly others: readonly string[];
  readonly passed: number;
  readonly errors: ReadonlyMap<string, unknown>;
}

/** Every so many of the tests, beginning with that one. */
export interface Share {
  readonly every: number;
  readonly first: number;
}

/** @param others how many of the tests of other rules are run. Default: all of them */
export async function caught(broken: BrokenState, others: Share = { every: 1, first: 0 }): Promise<Catch> {
  const isOwn = ({ rules }: { readonly rules: readonly string[] }) => rules.includes(broken.rule);
  const isWanted = (rules: readonly string[], at: number) =>
    isOwn({ rules }) || (at + others.first) % others.every === 0;
  const results = await outcomes(broken, isWanted);
  const failed = results.filter(({ error }) => error !== undefined);
  return {
    own: failed.filter(isOwn).map(({ title }) => title),
    others: failed.filter((result) => !isOwn(result)).map(({ title }) => title),
    passed: results.length - failed.length,
    errors: new Map(failed.map(({ title, error }) => [title, error])),
  };
}

/** The error of the model-based test, or nothing. */
export async function caughtByModel({ factory, supports }: BrokenState, seed: number): Promise<unknown> {
  const tests: (() => Promise<void>)[] = [];
  modelConformance({
    describe: (_, body) => body(),
    it: (_, body) => tests.push(body),
    factory,
    supports,
    seed,
    ...impatient,
  });
  for (const test of tests) {
    try {
      await test();
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
