import { type Clock, systemClock } from '@cosi-ts/state';
import type { Deadline } from './deadline.js';

/** What the suite needs of a test runner. Those of vitest, jest, mocha and node:test fit as they are. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
}

export interface RunOptions {
  /** How long a test waits for something that has to come. Default: 5000. */
  readonly waitMs?: number | undefined;
  /** How long a whole test may take. Default: 60 000. */
  readonly testMs?: number | undefined;
  /** Measures the waiting. Default: the host's. */
  readonly clock?: Clock | undefined;
}

export interface ResolvedRunOptions extends Deadline {
  readonly testMs: number;
}

export const defaultRunOptions = Object.freeze({ waitMs: 5000, testMs: 60_000 });

export function resolveRunOptions(options: RunOptions): ResolvedRunOptions {
  const { waitMs = defaultRunOptions.waitMs, testMs = defaultRunOptions.testMs, clock = systemClock } = options;
  for (const [name, value] of Object.entries({ waitMs, testMs })) {
    if (!(Number.isFinite(value) && value > 0)) throw new RangeError(`${name} cannot be ${value}`);
  }
  return Object.freeze({ waitMs, testMs, clock });
}
