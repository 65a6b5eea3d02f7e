export type { ControllerState } from './controller-state.js';
export { type DestroyControllerOptions, destroy } from './destroy.js';
export { type MappedInput, mapped, mappedDestroyReady, type PrimaryInput, primary, type QueueInput } from './inputs.js';
export { consoleLogger, type LogConsole, type LogFunction, type Logger, type LogLevel } from './logger.js';
export {
  fromResource,
  type InputMetadata,
  labelValue,
  type Mapper,
  type MapResult,
  noItems,
  sameId,
} from './mappers.js';
export { exclusive, type Output, shared } from './outputs.js';
export { type HostProcess, installProcessHandlers } from './process-handlers.js';
export { type QTransformOptions, qtransform } from './qtransform.js';
export type { HookContext, JobContext, QueueController, ReconcileContext } from './queue-controller.js';
export type {
  ControllerCounts,
  ControllerReport,
  ReportedError,
  RuntimeReport,
  WatchReport,
} from './report.js';
export {
  isRequeue,
  isSkip,
  type ReconcileResult,
  type Requeue,
  RequeueError,
  requeueAfter,
  SkipError,
} from './requeue.js';
export { type ControllerHandle, Runtime } from './runtime.js';
export {
  DeadlineError,
  isUndeclared,
  RegistrationError,
  StoppedError,
  UndeclaredError,
  UnknownControllerError,
} from './runtime-errors.js';
export { defaultRuntimeOptions, type RuntimeOptions } from './runtime-options.js';
export { destroyOutput, type TransformResult } from './transform-output.js';
