import { create } from '@bufbuild/protobuf';
import type { DeepReadonly, TypedResource } from '@cosi-ts/resource';
import type { AttemptFact, ChildFact, Failure, Place, ResultFact, SignalFact } from '../engine/facts.js';
import {
  type PastAttempt,
  PastAttemptSchema,
  type RunStatusSpec,
  type SignalSpec,
  type StepError,
  StepErrorSchema,
  type StepResultSpec,
  type StepRunSpec,
} from '../gen/cosi/workflows/v1/workflows_pb.js';
import { type ErrorReason, errorReasons, isFinal, type ResultState, resultStates } from '../resources/states.js';
import { msOf, textOf } from './times.js';

/** How many attempts before the newest are told. */
const maxPast = 20;

export function attemptFact({ metadata, spec }: TypedResource<StepRunSpec>): AttemptFact {
  return {
    step: spec.step,
    index: spec.index,
    attempt: spec.attempt,
    uncounted: spec.uncounted,
    deadlineMs: msOf(spec.deadlineAt),
    begunMs: metadata.created.toDate().getTime(),
    stopping: metadata.phase === 'tearingDown',
  };
}

/** Undefined for what is none: other processes can store anything. */
export function resultFact({ spec }: TypedResource<StepResultSpec>): ResultFact | undefined {
  const state = resultStates.find((known) => known === spec.state);
  if (state === undefined) return undefined;
  return {
    step: spec.step,
    index: spec.index,
    attempt: spec.attempt,
    state: state satisfies ResultState,
    retries: spec.retries,
    uncounted: spec.uncounted,
    outputs: spec.outputs,
    failure: spec.error === undefined ? undefined : failureOf(spec.error),
    startedMs: msOf(spec.startedAt),
    endedMs: msOf(spec.endedAt),
    nextAttemptMs: msOf(spec.nextAttemptAt),
    waitingFor: spec.waitingFor,
    waitingUntilMs: msOf(spec.waitingUntil),
    deadlineMs: msOf(spec.deadlineAt),
    items: spec.items,
    signal: spec.signal,
    signalAt: textOf(spec.signalAt),
  };
}

export function signalFact({ metadata, spec }: TypedResource<SignalSpec>): SignalFact {
  return { name: spec.name, at: metadata.created.toString(), payload: spec.payload };
}

/** How a nested run ended; undefined while it has not. */
export function childFact(place: Place, { spec }: TypedResource<RunStatusSpec>): ChildFact | undefined {
  const { state, retries, message, outputs } = spec;
  if (state !== 'succeeded' && state !== 'failed' && state !== 'cancelled') return undefined;
  return { ...place, state, retries, message, outputs };
}

function failureOf({ reason, message, exitCode }: DeepReadonly<StepError>): Failure {
  return { reason: errorReasons.find((known): known is ErrorReason => known === reason) ?? 'error', message, exitCode };
}

export function errorOf(failure: Failure | undefined): StepError | undefined {
  if (failure === undefined) return undefined;
  const { reason, message, exitCode } = failure;
  return create(StepErrorSchema, { reason, message, ...(exitCode === undefined ? {} : { exitCode }) });
}

/** When the first attempt began does not change with those after it. */
export function keepFirstStart(spec: StepResultSpec): void {
  const first = spec.firstStartedAt ?? spec.past[0]?.startedAt ?? spec.startedAt;
  if (first !== undefined) spec.firstStartedAt = first;
}

/** The attempts before the newest, when another one takes its place, or another end the place of its own. */
export function pastWith({ past, attempt, state, error, startedAt, endedAt, log }: StepResultSpec): PastAttempt[] {
  if (attempt === 0 || !isFinal(state)) return past;
  const newest = create(PastAttemptSchema, {
    attempt,
    log,
    ...(error === undefined ? {} : { error }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
  });
  return [...past, newest].slice(-maxPast);
}
