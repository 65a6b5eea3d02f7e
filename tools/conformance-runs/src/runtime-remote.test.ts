import { registerRuntimeRun } from './runtime-register.js';
import { remoteRuntimeRuns } from './runtime-runs.js';

for (const run of remoteRuntimeRuns) registerRuntimeRun(run);
