import { registerRun } from './register.js';
import { localRuns } from './states.js';

for (const run of localRuns) registerRun(run);
