import { type DeepReadonly, label, NotFoundError, type TypedResource } from '@cosi-ts/resource';
import type { CallOptions, State } from '@cosi-ts/state';
import type { RunStatusSpec, WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { find } from '../resources/find.js';
import { isFinal, labels, type RunState, RunStatus, WorkflowRun } from '../resources/index.js';
import { timeText } from './time-text.js';

export type FindState = Pick<State, 'get' | 'list'>;

export interface StepSummaryView {
  readonly step: string;
  readonly state: string;
  readonly total: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
}

/** A run as lists and events tell of it: what is wanted and what is, side by side. */
export interface RunView {
  readonly id: string;
  readonly workflow: string;
  readonly state: RunState;
  readonly message: string;
  readonly paused: boolean;
  readonly priority: number;
  readonly retries: number;
  readonly trigger: string;
  readonly concurrencyKey: string;
  /** The run and the execution that it belongs to; empty for one that people or schedules began. */
  readonly parent: string;
  readonly parentStep: string;
  readonly created: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly steps: readonly StepSummaryView[];
}

export interface RunParts {
  readonly run: TypedResource<WorkflowRunSpec>;
  readonly status: TypedResource<RunStatusSpec> | undefined;
}

export function runView({ run, status }: RunParts): RunView {
  const { metadata, spec } = run;
  const known = status?.spec;
  return {
    id: metadata.id,
    workflow: spec.workflow,
    state: runStateOf(run, known),
    message: known?.message ?? '',
    paused: spec.paused,
    priority: spec.priority,
    retries: spec.retries,
    trigger: spec.trigger,
    concurrencyKey: known?.concurrencyKey ?? '',
    parent: metadata.labels[labels.parent] ?? '',
    parentStep: metadata.labels[labels.parentStep] ?? '',
    created: metadata.created.toString(),
    startedAt: timeText(known?.startedAt),
    endedAt: timeText(known?.endedAt),
    steps: (known?.steps ?? []).map(({ step, state, total, running, succeeded, failed, dropped }) => ({
      step,
      state,
      total,
      running,
      succeeded,
      failed,
      dropped,
    })),
  };
}

/** What a run is, also while the engine has not yet heard of the newest that is wanted of it. */
function runStateOf(
  { metadata, spec }: TypedResource<WorkflowRunSpec>,
  status: DeepReadonly<RunStatusSpec> | undefined,
): RunState {
  const isCancelled = metadata.phase === 'tearingDown';
  if (status === undefined) return isCancelled ? 'cancelling' : 'queued';
  if (isFinal(status.state)) {
    const isAskedAgain = status.state !== 'succeeded' && spec.retries > status.retries;
    return isAskedAgain ? 'queued' : (status.state as RunState);
  }
  return isCancelled ? 'cancelling' : (status.state as RunState);
}

/** Rejects with `not-found`. */
export async function runParts(state: FindState, id: string, options: CallOptions): Promise<RunParts> {
  const [run, status] = await Promise.all([
    find(state, WorkflowRun.at(id), options),
    find(state, RunStatus.at(id), options),
  ]);
  if (run === undefined || isForgotten(run)) throw new NotFoundError(WorkflowRun.at(id));
  return { run, status };
}

export interface RunFilter {
  readonly workflow?: string | undefined;
  /** Only the runs that this one began itself. */
  readonly parent?: string | undefined;
  /** Whether runs that other runs began are in the list. */
  readonly nested: boolean;
}

/** All runs that match, the newest first. */
export async function listRuns(
  state: FindState,
  filter: RunFilter,
  options: CallOptions,
): Promise<readonly RunParts[]> {
  const { workflow, parent, nested } = filter;
  const terms = [
    label(labels.forgotten).absent(),
    ...(workflow === undefined ? [] : [label(labels.workflow).is(workflow)]),
    ...(parent === undefined ? [] : [label(labels.parent).is(parent)]),
    ...(nested || parent !== undefined ? [] : [label(labels.parent).absent()]),
  ];
  const query = { ...options, labels: terms };
  const [runs, statuses] = await Promise.all([state.list(WorkflowRun.kind, query), state.list(RunStatus.kind, query)]);
  const byId = new Map(statuses.map((status) => [status.metadata.id, status]));
  return runs.map((run) => ({ run, status: byId.get(run.metadata.id) })).sort(newestFirst);
}

/** Whether all that belongs to it is being destroyed. */
function isForgotten({ metadata }: TypedResource<unknown>): boolean {
  return Object.hasOwn(metadata.labels, labels.forgotten);
}

function newestFirst({ run: a }: RunParts, { run: b }: RunParts): number {
  return b.metadata.created.compare(a.metadata.created) || (a.metadata.id < b.metadata.id ? 1 : -1);
}
