import { within } from './deadline.js';
import type { StateFeatures } from './features.js';
import type { ResolvedRunOptions, TestRunner } from './runner.js';
import { StateTest } from './state-test.js';
import type { StateFactory } from './subject.js';

/** Registers a test that gets a fresh state. */
export type StateIt = (title: string, body: (t: StateTest) => Promise<void>) => void;

/** What the files of the suite register their tests with. */
export interface StateSuite {
  readonly it: StateIt;
  readonly features: StateFeatures;
  /** Registers a test only when so many of the last events of a kind are kept. */
  readonly itKeeping: (events: number) => StateIt;
  /** Registers a test only when the state can do that. */
  readonly itIf: (can: boolean) => StateIt;
}

export function stateSuite(
  runner: TestRunner,
  factory: StateFactory,
  features: StateFeatures,
  run: ResolvedRunOptions,
): StateSuite {
  const it: StateIt = (title, body) => {
    runner.it(title, () =>
      within({ ...run, waitMs: run.testMs }, runTest(factory, run, body), `the end of the test ${title}`),
    );
  };
  const leaveOut: StateIt = () => undefined;
  const itIf = (can: boolean) => (can ? it : leaveOut);
  return { it, features, itIf, itKeeping: (events) => itIf(features.historyEvents >= events) };
}

async function runTest(
  factory: StateFactory,
  run: ResolvedRunOptions,
  body: (t: StateTest) => Promise<void>,
): Promise<void> {
  const t = new StateTest(await factory(), factory, run);
  try {
    await body(t);
  } catch (error) {
    // What fails while a failed test is cleaned up must not hide why it failed.
    await t.end().catch(() => undefined);
    throw error;
  }
  await t.end();
}
