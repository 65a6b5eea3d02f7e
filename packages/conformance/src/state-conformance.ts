import { resolveFeatures, type StateFeatures } from './features.js';
import { type RunOptions, resolveRunOptions, type TestRunner } from './runner.js';
import { abortTests } from './state/aborts.js';
import { featureTests } from './state/absent.js';
import { filterTests } from './state/access.js';
import { aggregatedTests } from './state/aggregated.js';
import { bookmarkTests } from './state/bookmarks.js';
import { bulkTests } from './state/bulk.js';
import { concurrencyTests } from './state/concurrency.js';
import { createTests } from './state/create.js';
import { destroyTests } from './state/destroy.js';
import { errorTests } from './state/errors.js';
import { fairnessTests } from './state/fairness.js';
import { filteredWatchTests } from './state/filtered-watches.js';
import { finalizerTests } from './state/finalizers.js';
import { getTests } from './state/get.js';
import { listTests } from './state/list.js';
import { modifyTests } from './state/modify.js';
import { nameTests } from './state/names.js';
import { namespaceTests } from './state/namespaces.js';
import { opaqueTests } from './state/opaque.js';
import { overrunTests } from './state/overruns.js';
import { ownedStateTests } from './state/owners.js';
import { queryTests } from './state/queries.js';
import { refusedBookmarkTests } from './state/refused-bookmarks.js';
import { snapshotTests } from './state/snapshots.js';
import { tailTests } from './state/tails.js';
import { teardownTests } from './state/teardown.js';
import { teardownAndDestroyTests } from './state/teardown-and-destroy.js';
import { signalWithTeardownTests } from './state/teardown-signals.js';
import { updateTests } from './state/update.js';
import { updateWithConflictsTests } from './state/update-with-conflicts.js';
import { watchEndTests } from './state/watch-ends.js';
import { watchForTests } from './state/watch-for.js';
import { watchKindTests } from './state/watch-kind.js';
import { watchTests } from './state/watch-one.js';
import { type StateSuite, stateSuite } from './state-suite.js';
import type { StateFactory } from './subject.js';

export interface StateConformanceOptions extends TestRunner, RunOptions {
  readonly factory: StateFactory;
  /** What the state can do, where it differs from the defaults. */
  readonly supports?: Partial<StateFeatures> | undefined;
}

/** The parts of the suite, in the order in which they run. */
const parts: readonly [name: string, register: (suite: StateSuite) => void][] = [
  ['features', featureTests],
  ['get', getTests],
  ['list', listTests],
  ['create', createTests],
  ['update', updateTests],
  ['destroy', destroyTests],
  ['writeMany', bulkTests],
  ['errors', errorTests],
  ['names', nameTests],
  ['queries', queryTests],
  ['snapshots', snapshotTests],
  ['opaque resources', opaqueTests],
  ['watch', watchTests],
  ['watches of a kind', watchKindTests],
  ['aggregated watches', aggregatedTests],
  ['filtered watches', filteredWatchTests],
  ['bookmarks', bookmarkTests],
  ['refused bookmarks', refusedBookmarkTests],
  ['tails', tailTests],
  ['overruns', overrunTests],
  ['fairness', fairnessTests],
  ['ends of watches', watchEndTests],
  ['aborts', abortTests],
  ['concurrency', concurrencyTests],
  ['updateWithConflicts', updateWithConflictsTests],
  ['modify', modifyTests],
  ['finalizers', finalizerTests],
  ['teardown', teardownTests],
  ['teardownAndDestroy', teardownAndDestroyTests],
  ['watchFor', watchForTests],
  ['signalWithTeardown', signalWithTeardownTests],
  ['namespaces', namespaceTests],
  ['filter', filterTests],
  ['owned state', ownedStateTests],
];

/**
 * Registers the tests of a state with a test runner: each rule of `docs/semantics.md` that can be seen from outside.
 * Titles begin with the numbers of the rules. Throws when `supports` names what is no feature.
 */
export function stateConformance(options: StateConformanceOptions): void {
  const suite = stateSuite(options, options.factory, resolveFeatures(options.supports), resolveRunOptions(options));
  for (const [name, register] of parts) options.describe(name, () => register(suite));
}
