import { registerRun } from './register.js';
import { remoteRuns } from './states.js';

for (const run of remoteRuns) registerRun(run);
