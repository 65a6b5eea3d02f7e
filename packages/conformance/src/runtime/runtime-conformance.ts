import { type RunOptions, resolveRunOptions, type TestRunner } from '../runner.js';
import type { StateFactory } from '../subject.js';
import { cacheTests } from './caches.js';
import { chainTests } from './chains.js';
import { cleanupTests } from './cleanups.js';
import { eventTests } from './events.js';
import { failureTests } from './failures.js';
import { leaderTests } from './leaders.js';
import { limitTests } from './limits.js';
import { mappingTests } from './mapping.js';
import { qtransformTests } from './qtransforms.js';
import { queueTests } from './queues.js';
import { registrationTests } from './registration.js';
import { reportTests } from './reports.js';
import { resyncTests } from './resyncs.js';
import { type RuntimeFeatures, resolveRuntimeFeatures } from './runtime-features.js';
import type { RuntimePackage } from './runtime-package.js';
import { type RuntimeSuite, runtimeSuite } from './runtime-suite.js';
import { shutdownTests } from './shutdowns.js';
import { sumTests } from './sums.js';
import { taskTests } from './tasks.js';
import { transformTests } from './transforms.js';

export interface RuntimeConformanceOptions extends TestRunner, RunOptions {
  /** The runtime under test, with all that controllers are written with: `import * as runtime from '@cosi-ts/runtime'`. */
  readonly runtime: RuntimePackage;
  /** Makes the states that it runs on. */
  readonly factory: StateFactory;
  /** What the set-up can do, where it differs from the defaults. */
  readonly supports?: Partial<RuntimeFeatures> | undefined;
}

/** The parts of the suite, in the order in which they run. */
const parts: readonly [name: string, register: (suite: RuntimeSuite) => void][] = [
  ['chains', chainTests],
  ['sums', sumTests],
  ['registration', registrationTests],
  ['events', eventTests],
  ['failures', failureTests],
  ['queues', queueTests],
  ['mapped inputs', mappingTests],
  ['transform', transformTests],
  ['qtransform', qtransformTests],
  ['cleanup and destroy', cleanupTests],
  ['broken watches', resyncTests],
  ['read cache', cacheTests],
  ['limits and delays', limitTests],
  ['tasks', taskTests],
  ['leader election', leaderTests],
  ['reports', reportTests],
  ['the end', shutdownTests],
];

/**
 * Registers the tests of a runtime with a test runner: each rule of controllers, queues and generic controllers in
 * `docs/semantics.md` that can be seen from outside. Titles begin with the numbers of the rules. Throws when `supports`
 * names what is no feature.
 */
export function runtimeConformance(options: RuntimeConformanceOptions): void {
  const features = resolveRuntimeFeatures(options.supports);
  const suite = runtimeSuite(options, options.runtime, options.factory, features, resolveRunOptions(options));
  for (const [name, register] of parts) options.describe(name, () => register(suite));
}
