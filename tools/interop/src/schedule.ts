import type { Suite, TestOutcome } from './outcome.js';
import type { SuiteResult } from './table.js';

/** Runs the suites, so many at once, and gives their results in the order of the suites. */
export async function runSuites(
  suites: readonly Suite[],
  atOnce: number,
  say: (line: string) => void,
): Promise<readonly SuiteResult[]> {
  const waiting = suites.map((suite, i) => ({ suite, i }));
  const results: SuiteResult[] = [];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results[next.i] = await runSuite(next.suite, say);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

async function runSuite(suite: Suite, say: (line: string) => void): Promise<SuiteResult> {
  const name = `${suite.name} (${suite.direction}, ${suite.backend})`;
  const begin = performance.now();
  const outcomes = await run(suite, (outcome) => {
    if (outcome.verdict === 'failed') say(`FAILED ${name}: ${outcome.title}`);
  });
  const failed = outcomes.filter(({ verdict }) => verdict === 'failed');
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const verdict =
    failed.length === 0 ? `${outcomes.length} tests` : `${failed.length} of ${outcomes.length} tests FAILED`;
  say(`${name}: ${verdict} in ${seconds} s`);
  return { suite, outcomes };
}

/** A suite that breaks off is a failure like others, and does not stop the rest. */
async function run(suite: Suite, onOutcome: (outcome: TestOutcome) => void): Promise<readonly TestOutcome[]> {
  try {
    return await suite.run(onOutcome);
  } catch (error) {
    const note = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ title: 'the suite itself', verdict: 'failed', note, tookMs: 0 }];
  }
}
