// What plugins are written with: functions and executors that `--plugin` adds to an engine or a worker.
export type {
  Attempt,
  Executor,
  Outcome,
  Progress,
  Recovery,
} from './executors/executor.js';
export { StopReason } from './executors/executor.js';
export type {
  DefinedFunction,
  FunctionContext,
  FunctionDefinition,
  FunctionLog,
  FunctionResult,
} from './executors/function/defined-function.js';
export { defineFunction, RejectedError } from './executors/function/defined-function.js';
export type { PluginContext as ExecutionContext } from './executors/logged-executor.js';
