import type { TestRunner } from '@cosi-ts/conformance';
import type { TestOutcome } from './outcome.js';

/** A test that waits to be run. */
export interface Test {
  readonly title: string;
  readonly body: () => Promise<void>;
}

/** The tests that someone registers with `describe` and `it`. */
export function collectTests(register: (runner: TestRunner) => void): Test[] {
  const tests: Test[] = [];
  const path: string[] = [];
  register({
    describe: (name, body) => {
      path.push(name);
      body();
      path.pop();
    },
    it: (title, body) => tests.push({ title: [...path, title].join(' › '), body }),
  });
  return tests;
}

/** Runs tests, so many at once. */
export async function runTests(
  tests: readonly Test[],
  atOnce: number,
  onOutcome: (outcome: TestOutcome) => void,
): Promise<TestOutcome[]> {
  const waiting = [...tests];
  const outcomes: TestOutcome[] = [];
  const worker = async () => {
    for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
      const outcome = await runTest(test);
      outcomes.push(outcome);
      onOutcome(outcome);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return outcomes;
}

async function runTest({ title, body }: Test): Promise<TestOutcome> {
  const begin = performance.now();
  const tookMs = () => performance.now() - begin;
  try {
    await body();
    return { title, verdict: 'passed', tookMs: tookMs() };
  } catch (error) {
    const note = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { title, verdict: 'failed', note, tookMs: tookMs() };
  }
}
