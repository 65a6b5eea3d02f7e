import { stateConformance } from '@cosi-ts/conformance';
import { describe, it } from 'vitest';
import type { StateRun } from './states.js';

/** Registers the whole suite for a state, under its name. */
export function registerRun({ name, factory, supports }: StateRun): void {
  describe(name, () => stateConformance({ describe, it, factory, supports }));
}
