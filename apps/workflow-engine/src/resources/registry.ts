import { createTypeRegistry, type TypeRegistry } from '@cosi-ts/resource';
import { RunStatus } from './run-status.js';
import { Schedule } from './schedule.js';
import { ScheduleStatus } from './schedule-status.js';
import { Secret } from './secret.js';
import { Signal } from './signal.js';
import { StepResult } from './step-result.js';
import { StepRun } from './step-run.js';
import { Worker } from './worker.js';
import { Workflow } from './workflow.js';
import { WorkflowRun } from './workflow-run.js';

/** The types that users write. */
const userTypes = [Workflow, WorkflowRun, Signal, Schedule, Secret] as const;

/** The types of this app: those that users write, then those that the engine and workers write. */
export const workflowTypes = [...userTypes, RunStatus, StepRun, StepResult, ScheduleStatus, Worker] as const;

/** The types of this app by name. */
export const workflowRegistry: TypeRegistry = createTypeRegistry(workflowTypes as never);
