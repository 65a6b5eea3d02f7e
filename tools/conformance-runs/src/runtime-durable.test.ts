import { registerRuntimeRun } from './runtime-register.js';
import { durableRuntimeRuns } from './runtime-runs.js';

for (const run of durableRuntimeRuns) registerRuntimeRun(run);
