import { runtimeConformance } from '@cosi-ts/conformance/runtime';
import * as runtime from '@cosi-ts/runtime';
import { describe, it } from 'vitest';
import type { RuntimeRun } from './runtime-runs.js';
import type {} from './task-meta.js';

/** Registers the suite of runtimes on a state, under its name. */
export function registerRuntimeRun({ name, factory, supports }: RuntimeRun): void {
  const absent = Object.entries(supports).flatMap(([feature, value]) => (value === false ? [feature] : []));
  describe(name, () => {
    runtimeConformance({
      describe,
      it: (title, body) =>
        it(title, { timeout: 120_000 }, ({ task }) => {
          task.meta.absent = absent;
          return body();
        }),
      runtime,
      factory,
      supports,
      // The machine may be busy with other suites.
      waitMs: 20_000,
    });
  });
}
