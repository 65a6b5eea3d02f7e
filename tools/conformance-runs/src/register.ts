import { modelConformance, stateConformance } from '@cosi-ts/conformance';
import { describe, it } from 'vitest';
import type { StateRun } from './states.js';

/** Registers the whole suite for a state, under its name. */
export function registerRun({ name, factory, supports, modelRuns }: StateRun): void {
  describe(name, () => {
    stateConformance({ describe, it, factory, supports });
    modelConformance({ describe, it, factory, supports, runs: modelRuns });
  });
}
