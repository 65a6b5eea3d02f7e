export { batchOf, executionId, labels, signalId } from './labels.js';
export { workflowsNamespace } from './namespace.js';
export { RunStatus } from './run-status.js';
export { Schedule } from './schedule.js';
export { ScheduleStatus } from './schedule-status.js';
export { Secret } from './secret.js';
export { Signal } from './signal.js';
export {
  type ErrorReason,
  errorReasons,
  isFinal,
  type ResultState,
  type RunState,
  resultStates,
  runStates,
  type StepState,
  stepStates,
} from './states.js';
export { StepResult } from './step-result.js';
export { StepRun } from './step-run.js';
export { Worker } from './worker.js';
export { Workflow } from './workflow.js';
export { WorkflowRun } from './workflow-run.js';
