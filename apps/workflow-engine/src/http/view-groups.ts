import { isNotFound, type TypedKind, type TypedResource } from '@cosi-ts/resource';
import type { Clock, State } from '@cosi-ts/state';
import { msNow } from '../controllers/times.js';
import type { DefinitionCache } from '../definition/definition-cache.js';
import {
  RunStatus,
  Schedule,
  ScheduleStatus,
  StepResult,
  StepRun,
  Worker,
  Workflow,
  WorkflowRun,
} from '../resources/index.js';
import { executionParts, executionView } from './execution-view.js';
import { runParts, runView } from './run-view.js';
import { scheduleParts, scheduleView } from './schedule-view.js';
import { workerView } from './workers-route.js';
import { workflowView } from './workflow-view.js';

/** Resources that clients see as one thing: a run is what is wanted of it and what it is. */
export interface ViewGroup {
  /** The name of the event, and of the list in it. */
  readonly name: string;
  readonly kinds: readonly TypedKind<unknown>[];
  /** The present of one of them; undefined when it is no more. */
  view(resource: ResourceName, signal: AbortSignal): Promise<unknown>;
}

/** Enough of a resource to find it, also when it is gone. */
export interface ResourceName {
  readonly id: string;
  /** Of executions. */
  readonly place: { readonly run: string; readonly step: string; readonly index: number } | undefined;
}

export interface ViewContext {
  readonly state: State;
  readonly definitions: DefinitionCache;
  readonly clock: Clock;
}

const orGone = (error: unknown): undefined => {
  if (isNotFound(error)) return undefined;
  throw error;
};

export function runsGroup({ state }: ViewContext): ViewGroup {
  return {
    name: 'runs',
    kinds: [WorkflowRun.kind, RunStatus.kind] as readonly TypedKind<unknown>[],
    view: ({ id }, signal) => runParts(state, id, { signal }).then(runView).catch(orGone),
  };
}

export function executionsGroup({ state }: ViewContext): ViewGroup {
  return {
    name: 'executions',
    kinds: [StepRun.kind, StepResult.kind] as readonly TypedKind<unknown>[],
    view: async ({ place }, signal) => {
      if (place === undefined) return undefined;
      const parts = await executionParts(state, place.run, place, { signal });
      if (parts.attempt === undefined && parts.result === undefined) return undefined;
      return { run: place.run, ...executionView(parts) };
    },
  };
}

/** What there is beside runs. */
export function otherGroups({ state, definitions, clock }: ViewContext): readonly ViewGroup[] {
  return [
    {
      name: 'workflows',
      kinds: [Workflow.kind] as readonly TypedKind<unknown>[],
      view: ({ id }, signal) =>
        state
          .get(Workflow.at(id), { signal })
          .then((workflow) => workflowView(workflow, definitions))
          .catch(orGone),
    },
    {
      name: 'schedules',
      kinds: [Schedule.kind, ScheduleStatus.kind] as readonly TypedKind<unknown>[],
      view: ({ id }, signal) => scheduleParts(state, id, { signal }).then(scheduleView).catch(orGone),
    },
    {
      name: 'workers',
      kinds: [Worker.kind] as readonly TypedKind<unknown>[],
      view: ({ id }, signal) =>
        state
          .get(Worker.at(id), { signal })
          .then((worker) => workerView(worker, msNow(clock)))
          .catch(orGone),
    },
  ];
}

/** The name of a resource of a group. */
export function resourceName(resource: TypedResource<unknown>): ResourceName {
  const { id, type } = resource.metadata;
  if (type !== StepRun.type && type !== StepResult.type) return { id, place: undefined };
  const { run, step, index } = resource.content.valueFor(resource.declaration) as {
    run: string;
    step: string;
    index: number;
  };
  return { id, place: { run, step, index } };
}
