import { stateConformance } from '@cosi-ts/conformance';
import { rulesOf } from './rules.js';
import type { StateRun } from './states.js';
import { impatient } from './turn-clock.js';

/** How one test of the suite ended. */
export interface Outcome {
  readonly title: string;
  /** The numbers of the rules that the title begins with. */
  readonly rules: readonly string[];
  /** Undefined when it passed. */
  readonly error: unknown;
}

/**
 * Runs the suite against a state without a test runner, one test after the other.
 * @param isWanted which of its tests are run, by the rules of each and its place in the suite. Default: all of them
 */
export async function outcomes(
  run: Pick<StateRun, 'factory' | 'supports'>,
  isWanted: (rules: readonly string[], at: number) => boolean = () => true,
): Promise<readonly Outcome[]> {
  const tests: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  stateConformance({
    describe: (_, body) => body(),
    it: (title, body) => tests.push({ title, body }),
    factory: run.factory,
    supports: run.supports,
    ...impatient,
  });
  const results: Outcome[] = [];
  for (const [at, { title, body }] of tests.entries()) {
    const rules = rulesOf(title);
    if (!isWanted(rules, at)) continue;
    const error = await body().then(
      () => undefined,
      (reason: unknown) => reason ?? new Error('rejected with nothing'),
    );
    results.push({ title, rules, error });
  }
  return results;
}
