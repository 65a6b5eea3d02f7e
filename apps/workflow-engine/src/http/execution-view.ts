import { type DeepReadonly, type JsonValue, label, type TypedResource } from '@cosi-ts/resource';
import type { CallOptions } from '@cosi-ts/state';
import { parseRemoteLog, type RemoteFiles } from '../executors/remote-files.js';
import type { StepError, StepResultSpec, StepRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { find } from '../resources/find.js';
import { batchOf, executionId, isFinal, labels, StepResult, StepRun, type StepState } from '../resources/index.js';
import { jsonOf } from './json-text.js';
import type { FindState } from './run-view.js';
import { timeText } from './time-text.js';

export interface ErrorView {
  readonly reason: string;
  readonly message: string;
  readonly exitCode: number | null;
}

/** One execution of a step, in short: what lists and events tell of it. */
export interface ExecutionView {
  readonly step: string;
  /** -1 of a step with neither items nor rounds. */
  readonly index: number;
  readonly state: StepState;
  readonly attempt: number;
  /** When the first attempt began; null while none has. */
  readonly startedAt: string | null;
  /** When the last attempt ended; null while there is one, or another one is due. */
  readonly endedAt: string | null;
  /** When the newest attempt began, and when it ended. */
  readonly attemptStartedAt: string | null;
  readonly attemptEndedAt: string | null;
  readonly error: ErrorView | null;
  /** Whether the engine has its log. */
  readonly hasLog: boolean;
  /** Of a worker: the machine that has its files, with the paths there; null: the engine has them, or there are none. */
  readonly elsewhere: RemoteFiles | null;
  readonly worker: string;
  /** The question, the signal, the next attempt or, while it is pending, a worker. Empty: nothing. */
  readonly waitingFor: string;
  /** When it goes on by itself. */
  readonly waitingUntil: string | null;
}

/** One execution in full. */
export interface ExecutionDetail extends ExecutionView {
  readonly executor: string;
  readonly item: JsonValue;
  readonly action: JsonValue;
  readonly outputs: JsonValue;
  readonly idempotencyKey: string;
  readonly pid: number;
  readonly past: readonly {
    readonly attempt: number;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly error: ErrorView | null;
    readonly hasLog: boolean;
    readonly elsewhere: RemoteFiles | null;
  }[];
}

export interface ExecutionParts {
  readonly step: string;
  readonly index: number;
  readonly attempt: TypedResource<StepRunSpec> | undefined;
  readonly result: TypedResource<StepResultSpec> | undefined;
}

export async function executionParts(
  state: FindState,
  run: string,
  { step, index }: { readonly step: string; readonly index: number },
  options: CallOptions,
): Promise<ExecutionParts> {
  const id = executionId(run, step, index);
  const [attempt, result] = await Promise.all([
    find(state, StepRun.at(id), options),
    find(state, StepResult.at(id), options),
  ]);
  return { step, index, attempt, result };
}

/** All executions of a step with items or rounds that have begun, in their order. */
export async function batchParts(
  state: FindState,
  run: string,
  step: string,
  options: CallOptions,
): Promise<readonly ExecutionParts[]> {
  const query = { ...options, labels: [label(labels.batch).is(batchOf(run, step))] };
  const [attempts, results] = await Promise.all([state.list(StepRun.kind, query), state.list(StepResult.kind, query)]);
  const parts = new Map<number, ExecutionParts>();
  for (const attempt of attempts) {
    parts.set(attempt.spec.index, { step, index: attempt.spec.index, attempt, result: undefined });
  }
  for (const result of results) {
    const { index } = result.spec;
    parts.set(index, { step, index, attempt: parts.get(index)?.attempt, result });
  }
  return [...parts.values()].sort((a, b) => a.index - b.index);
}

export function executionView({ step, index, attempt, result }: ExecutionParts): ExecutionView {
  const wanted = attempt?.spec.attempt ?? 0;
  const told = result?.spec;
  // An attempt that is recorded and not yet begun makes what is known of the one before the past.
  const newest = told === undefined || told.attempt < wanted ? undefined : told;
  return {
    step,
    index,
    state: stateOf(newest),
    attempt: Math.max(wanted, told?.attempt ?? 0),
    startedAt: timeText(told?.firstStartedAt),
    endedAt: isBackingOff(newest) ? null : timeText(newest?.endedAt),
    attemptStartedAt: timeText(newest?.startedAt),
    attemptEndedAt: timeText(newest?.endedAt),
    error: errorView(newest?.error),
    ...logOf(newest?.log ?? ''),
    worker: newest?.worker || attempt?.spec.worker || '',
    waitingFor: isBackingOff(newest) ? 'the next attempt' : (newest?.waitingFor ?? wantedWorker(attempt)),
    waitingUntil: timeText(isBackingOff(newest) ? newest?.nextAttemptAt : newest?.waitingUntil),
  };
}

/** Which worker an attempt waits for that none has taken yet; empty: none. */
function wantedWorker(attempt: TypedResource<StepRunSpec> | undefined): string {
  if (attempt === undefined || attempt.spec.worker !== '') return '';
  const wanted = Object.entries(attempt.metadata.labels).flatMap(([name, value]) =>
    name.startsWith(labels.runsOn) ? [`${name.slice(labels.runsOn.length)}=${value}`] : [],
  );
  return wanted.length === 0 ? '' : `a worker that serves ${wanted.join(',')}`;
}

export function executionDetail(parts: ExecutionParts): ExecutionDetail {
  const { attempt, result } = parts;
  const view = executionView(parts);
  const told = result?.spec;
  const isOld = told !== undefined && told.attempt < view.attempt;
  const past = (told?.past ?? []).map((each) => ({
    attempt: each.attempt,
    startedAt: timeText(each.startedAt),
    endedAt: timeText(each.endedAt),
    error: errorView(each.error),
    ...logOf(each.log),
  }));
  const last = isOld
    ? [
        {
          attempt: told.attempt,
          startedAt: timeText(told.startedAt),
          endedAt: timeText(told.endedAt),
          error: errorView(told.error),
          ...logOf(told.log),
        },
      ]
    : [];
  return {
    ...view,
    executor: attempt?.spec.executor ?? '',
    item: jsonOf(attempt?.spec.item ?? ''),
    action: jsonOf(attempt?.spec.action ?? ''),
    outputs: isOld ? null : jsonOf(told?.outputs ?? ''),
    idempotencyKey: attempt?.spec.idempotencyKey ?? '',
    pid: isOld ? 0 : (told?.pid ?? 0),
    past: [...past, ...last],
  };
}

function logOf(log: string): Pick<ExecutionView, 'hasLog' | 'elsewhere'> {
  const elsewhere = parseRemoteLog(log) ?? null;
  return { hasLog: log !== '' && elsewhere === null, elsewhere };
}

function errorView(error: DeepReadonly<StepError> | undefined): ErrorView | null {
  if (error === undefined) return null;
  const { reason, message, exitCode } = error;
  return { reason, message, exitCode: exitCode ?? null };
}

function stateOf(result: DeepReadonly<StepResultSpec> | undefined): StepState {
  if (result === undefined) return 'pending';
  return isBackingOff(result) ? 'waiting' : (result.state as StepState);
}

/** Whether an attempt has failed and another one is due. */
function isBackingOff(result: DeepReadonly<StepResultSpec> | undefined): boolean {
  return result !== undefined && isFinal(result.state) && result.nextAttemptAt !== undefined;
}
