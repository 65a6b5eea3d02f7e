import type { RuntimeFeatures } from '@cosi-ts/conformance/runtime';
import { durableRuns } from './durable.js';
import { localRuns, remoteRuns, type StateRun } from './states.js';

/** A state that the runtime runs on. */
export interface RuntimeRun extends Pick<StateRun, 'name' | 'factory'> {
  readonly supports: Partial<RuntimeFeatures>;
}

/** Of those of the state suite, the ones with that name. */
function named(runs: readonly StateRun[], ...names: readonly string[]): readonly StateRun[] {
  return names.map((name) => {
    const run = runs.find((each) => each.name === name);
    if (run === undefined) throw new TypeError(`there is no run of ${name}`);
    return run;
  });
}

function over({ name, factory, supports }: StateRun, more: Partial<RuntimeFeatures> = {}): RuntimeRun {
  const { openWatches = false } = supports;
  return { name: `runtime on ${name}`, factory, supports: { openWatches, ...more } };
}

export const localRuntimeRuns: readonly RuntimeRun[] = [
  ...named(localRuns, 'in-memory', 'in-memory, of one namespace', 'filtered in-memory').map((run) => over(run)),
  ...named(localRuns, 'in-memory, history of 10 events').map((run) => over(run, { overrunEvents: 30 })),
];

export const durableRuntimeRuns: readonly RuntimeRun[] = [
  ...named(durableRuns, 'LevelDB', 'LevelDB, encrypted').map((run) => over(run)),
  // So much more than the log keeps, which is trimmed in the background.
  ...named(durableRuns, 'LevelDB, a log of 50 events').map((run) => over(run, { overrunEvents: 200 })),
];

export const remoteRuntimeRuns: readonly RuntimeRun[] = named(
  [...remoteRuns, ...durableRuns],
  'N1: in-memory, history of 100 events, through client and server',
  'N1: filtered and namespaced in-memory, through client and server',
  'N1: LevelDB, through client and server',
).map((run) => over(run));
