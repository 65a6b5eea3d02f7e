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

/** Runs the suite against a state without a test runner, one test after the other. */
export async function outcomes(run: Pick<StateRun, 'factory' | 'supports'>): Promise<readonly Outcome[]> {
  const tests: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  stateConformance({
    describe: (_, body) => body(),
    it: (title, body) => tests.push({ title, body }),
    factory: run.factory,
    supports: run.supports,
    ...impatient,
  });
  const results: Outcome[] = [];
  for (const { title, body } of tests) {
    const error = await body().then(
      () => undefined,
      (reason: unknown) => reason ?? new Error('rejected with nothing'),
    );
    results.push({ title, rules: rulesOf(title), error });
  }
  return results;
}
