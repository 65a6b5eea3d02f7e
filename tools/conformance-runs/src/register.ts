import { absentFeatures, modelConformance, resolveFeatures, stateConformance } from '@cosi-ts/conformance';
import { describe, it } from 'vitest';
import type { StateRun } from './states.js';
import type {} from './task-meta.js';

/** Set to a number to repeat what a failure told. */
const { CONFORMANCE_SEED } = process.env;
const seed = CONFORMANCE_SEED === undefined ? undefined : Number(CONFORMANCE_SEED);

/** Registers the whole suite for a state, under its name. */
export function registerRun({ name, factory, supports, modelRuns }: StateRun): void {
  const absent = absentFeatures(resolveFeatures(supports));
  const runner = {
    describe,
    it: (title: string, body: () => Promise<void>) =>
      it(title, { timeout: 120_000 }, ({ task }) => {
        task.meta.absent = absent;
        return body();
      }),
  };
  describe(name, () => {
    stateConformance({ ...runner, factory, supports });
    describe('model', () => modelConformance({ ...runner, factory, supports, runs: modelRuns, seed }));
  });
}
