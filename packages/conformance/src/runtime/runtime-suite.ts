import { within } from '../deadline.js';
import type { ResolvedRunOptions, TestRunner } from '../runner.js';
import type { StateFactory } from '../subject.js';
import type { RuntimeFeatures } from './runtime-features.js';
import type { RuntimePackage } from './runtime-package.js';
import { RuntimeTest } from './runtime-test.js';

/** Registers a test that gets a fresh state. */
export type RuntimeIt = (title: string, body: (t: RuntimeTest) => Promise<void>) => void;

/** What the files of the suite register their tests with. */
export interface RuntimeSuite {
  readonly it: RuntimeIt;
  readonly features: RuntimeFeatures;
  /** Registers a test only when the set-up can do that. */
  readonly itIf: (can: boolean) => RuntimeIt;
}

export function runtimeSuite(
  runner: TestRunner,
  runtime: RuntimePackage,
  factory: StateFactory,
  features: RuntimeFeatures,
  run: ResolvedRunOptions,
): RuntimeSuite {
  const it: RuntimeIt = (title, body) => {
    runner.it(title, () =>
      within({ ...run, waitMs: run.testMs }, runTest(runtime, factory, run, body), `the end of the test ${title}`),
    );
  };
  const leaveOut: RuntimeIt = () => undefined;
  return { it, features, itIf: (can) => (can ? it : leaveOut) };
}

async function runTest(
  runtime: RuntimePackage,
  factory: StateFactory,
  run: ResolvedRunOptions,
  body: (t: RuntimeTest) => Promise<void>,
): Promise<void> {
  const t = new RuntimeTest(await factory(), runtime, run);
  try {
    await body(t);
  } catch (error) {
    // What fails while a failed test is cleaned up must not hide why it failed.
    await t.end().catch(() => undefined);
    throw error;
  }
  await t.end();
}
