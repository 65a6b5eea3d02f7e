import type { BrokenRuntime } from './broken-runtime.js';
import { brokenControllerRules } from './controllers.js';
import { brokenGenerics } from './generics.js';
import { brokenInputs } from './inputs.js';
import { brokenQueues } from './queues.js';
import { brokenRuntimeRules } from './runtimes.js';

export const brokenRuntimes: readonly BrokenRuntime[] = [
  ...brokenControllerRules,
  ...brokenRuntimeRules,
  ...brokenQueues,
  ...brokenInputs,
  ...brokenGenerics,
];
