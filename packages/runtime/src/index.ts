export type { ForcedRemoval, TeardownBlocker, TeardownBlockers } from './blockers.js';
export { Bridge, type BridgeReport } from './bridges/bridge.js';
export type { BridgeOptions } from './bridges/bridge-options.js';
export type { BridgeSource, SourceContext } from './bridges/bridge-source.js';
export {
  type BridgeTarget,
  type Concerned,
  type ItemTarget,
  type ReconcileTarget,
  type ToItemsOptions,
  toController,
  toItems,
} from './bridges/bridge-target.js';
export { fileChanges, type WatchFile } from './bridges/file-changes.js';
export { fromCallback, type Stop } from './bridges/from-callback.js';
export {
  type EmitterLike,
  type EventTargetLike,
  type FromEmitterOptions,
  fromEmitter,
} from './bridges/from-emitter.js';
export { fromIterable } from './bridges/from-iterable.js';
export { type IntervalOptions, interval, timer } from './bridges/interval.js';
export { Webhook } from './bridges/webhook.js';
export { type CachedState, type CachedStateOptions, cachedState } from './cache/cached-state.js';
export type { CachedGetOptions, CachedListOptions, Freshness } from './cache/read-options.js';
export { type CleanupOptions, cleanup } from './cleanup.js';
export {
  type CleanupHandler,
  type CleanupResult,
  noOutputsLeft,
  type RemoveOutputsOptions,
  removeOutputs,
} from './cleanup-handler.js';
export type { Controller, ControllerContext, ReconcileEvent } from './controller.js';
export type { ControllerState } from './controller-state.js';
export { type DestroyControllerOptions, destroy } from './destroy.js';
export { defaultStateElectionOptions, type StateElectionOptions } from './election/election-options.js';
export { InProcessElection } from './election/in-process-election.js';
export type { LeaderElection, Lease } from './election/leader-election.js';
export { isLeaseLost, LeaseLostError } from './election/lease-lost.js';
export { type LeaseSpec, LeaseType } from './election/lease-resource.js';
export { StateElection } from './election/state-election.js';
export { type Graph, type GraphEdge, type GraphNode, graphToDot, graphToJson } from './graph.js';
export type { Health, HealthPart, HealthStatus } from './health.js';
export {
  type ControllerInput,
  destroyReady,
  type MappedInput,
  mapped,
  mappedDestroyReady,
  type PrimaryInput,
  primary,
  type QueueInput,
  strong,
  weak,
} from './inputs.js';
export type { JobContext } from './job-context.js';
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
export type { PartContext, ReportingBridge, ReportingTasks } from './part-registry.js';
export { type HostProcess, installProcessHandlers } from './process-handlers.js';
export { type QTransformOptions, qtransform } from './qtransform.js';
export type { HookContext, QueueController, ReconcileContext } from './queue-controller.js';
export type {
  CacheReport,
  ControllerCounts,
  ControllerReport,
  InputReport,
  LoopHold,
  LoopReport,
  ReportedError,
  RuntimeReport,
  TaskSetReport,
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
export { type ControllerHandle, type QueueControllerHandle, Runtime } from './runtime.js';
export {
  DeadlineError,
  type FailedInput,
  FailedInputsError,
  isUndeclared,
  RegistrationError,
  StoppedError,
  UndeclaredError,
  UnknownControllerError,
} from './runtime-errors.js';
export { defaultRuntimeOptions, type RuntimeOptions } from './runtime-options.js';
export type { TaskContext, TaskFunction, TaskReport } from './tasks/task.js';
export type { TaskRunnerOptions } from './tasks/task-options.js';
export { TaskRunner } from './tasks/task-runner.js';
export { type TransformOptions, type TransformTeardown, transform } from './transform.js';
export { destroyOutput, type TransformResult } from './transform-output.js';
export type { WriteLimitOptions } from './write-limit.js';
