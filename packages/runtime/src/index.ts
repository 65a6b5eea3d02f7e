export type { ControllerState } from './controller-state.js';
export { type DestroyControllerOptions, destroy } from './destroy.js';
export { type MappedInput, mapped, mappedDestroyReady, type PrimaryInput, primary, type QueueInput } from './inputs.js';
export type { LogFunction, Logger } from './logger.js';
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
export { destroyOutput, type QTransformOptions, qtransform, type TransformResult } from './qtransform.js';
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
export type { RuntimeOptions } from './runtime-options.js';
