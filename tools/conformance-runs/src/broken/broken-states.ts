import { compareRules } from '../rules.js';
import { brokenAborts } from './aborts.js';
import { brokenArrays } from './arrays.js';
import { brokenBookmarks } from './bookmarks.js';
import type { BrokenState } from './broken-state.js';
import { brokenBulk } from './bulk.js';
import { brokenComposed } from './composed.js';
import { brokenCreates } from './creates.js';
import { brokenDestroys } from './destroys.js';
import { brokenErrors } from './errors.js';
import { brokenEvents, brokenFilters } from './events.js';
import { brokenNamespaces } from './namespaces.js';
import { brokenOverruns } from './overruns.js';
import { brokenReads } from './reads.js';
import { brokenSnapshots } from './snapshots.js';
import { brokenUpdates } from './updates.js';
import { brokenEnds } from './watch-ends.js';
import { brokenStarts } from './watch-starts.js';

/** Every broken state, in the order of the rules. */
export const brokenStates: readonly BrokenState[] = [
  ...brokenReads,
  ...brokenCreates,
  ...brokenUpdates,
  ...brokenDestroys,
  ...brokenErrors,
  ...brokenAborts,
  ...brokenComposed,
  ...brokenBulk,
  ...brokenNamespaces,
  ...brokenSnapshots,
  ...brokenStarts,
  ...brokenEvents,
  ...brokenFilters,
  ...brokenArrays,
  ...brokenBookmarks,
  ...brokenEnds,
  ...brokenOverruns,
].toSorted((a, b) => compareRules(a.rule, b.rule));
