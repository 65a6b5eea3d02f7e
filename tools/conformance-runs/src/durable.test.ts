import { durableRuns } from './durable.js';
import { registerRun } from './register.js';

for (const run of durableRuns) registerRun(run);
