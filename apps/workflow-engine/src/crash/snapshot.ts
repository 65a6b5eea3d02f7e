import type { TypedResource } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { StepResultSpec, StepRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { RunStatus, WorkflowRun } from '../resources/index.js';

/** Every run as it is, as JSON. */
export async function statusesOf(state: State) {
  const retries = new Map(
    (await state.list(WorkflowRun.kind)).map(({ metadata, spec }) => [metadata.id, spec.retries]),
  );
  return (await state.list(RunStatus.kind)).map(({ metadata, spec }) => ({
    run: metadata.id,
    isTriedAgain: (retries.get(metadata.id) ?? 0) > spec.retries,
    state: spec.state,
    message: spec.message,
    hasEnd: spec.endedAt !== undefined,
    outputs: spec.outputs,
    steps: spec.steps.map(({ step, state: is, total }) => ({ step, state: is, total })),
  }));
}

/** An execution as it is wanted, as JSON. */
export function stepRunView({ metadata, spec }: TypedResource<StepRunSpec>) {
  const { run, step, index, attempt, idempotencyKey, executor } = spec;
  return { id: metadata.id, run, step, index, attempt, key: idempotencyKey, executor };
}

/** An execution as it is, as JSON. */
export function stepResultView({ metadata, spec }: TypedResource<StepResultSpec>) {
  const { run, step, index, attempt, state, outputs, error, endedAt, nextAttemptAt } = spec;
  return {
    id: metadata.id,
    run,
    step,
    index,
    attempt,
    state,
    outputs,
    reason: error?.reason ?? '',
    hasEnd: endedAt !== undefined,
    isDue: nextAttemptAt !== undefined,
  };
}
