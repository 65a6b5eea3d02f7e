import { registerRuntimeRun } from './runtime-register.js';
import { localRuntimeRuns } from './runtime-runs.js';

for (const run of localRuntimeRuns) registerRuntimeRun(run);
