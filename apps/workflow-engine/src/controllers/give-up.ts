import { create } from '@bufbuild/protobuf';
import { label } from '@cosi-ts/resource';
import type { ControllerState } from '@cosi-ts/runtime';
import { StepErrorSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { RunStatus, StepResult, StepRun, WorkflowRun } from '../resources/index.js';
import { labels } from '../resources/labels.js';
import { isFinal } from '../resources/states.js';
import { ignoringAbsence } from './each-of.js';
import { isOver } from './run-over.js';
import type { RunReport } from './status-writer.js';
import { isRefused } from './step-results.js';
import { timeOf } from './times.js';

const anyone = { owner: '' } as const;

/**
 * Ends all that goes on of a run which cannot be gone on with, and then what waits. To be called until nothing is left.
 * @returns whether something still goes on
 */
export async function giveUp(run: string, message: string, nowMs: number, state: ControllerState): Promise<boolean> {
  const ofRun = { labels: [label(labels.run).is(run)] };
  const ofParent = { labels: [label(labels.parent).is(run)] };
  const [stepRuns, results, children, statuses] = await Promise.all([
    state.list(StepRun.kind, ofRun),
    state.list(StepResult.kind, ofRun),
    state.list(WorkflowRun.kind, ofParent),
    state.list(RunStatus.kind, ofParent),
  ]);
  const resultOf = new Map(results.map(({ metadata, spec }) => [metadata.id, spec]));
  const statusOf = new Map(statuses.map(({ metadata, spec }) => [metadata.id, spec]));
  const open = [
    ...stepRuns.filter(({ metadata, spec }) => {
      const result = resultOf.get(metadata.id);
      return result === undefined || !isRefused(result, spec.attempt);
    }),
    ...children.filter(({ metadata, spec }) => !isOver(spec, statusOf.get(metadata.id))),
  ];
  // In the reverse order of their beginning.
  for (const { metadata } of open.sort((a, b) => b.metadata.created.compare(a.metadata.created))) {
    if (metadata.phase !== 'tearingDown') await ignoringAbsence(state.teardown(metadata, anyone));
  }
  if (open.length > 0) return true;
  const error = create(StepErrorSchema, { reason: 'cancelled', message });
  for (const { metadata, spec } of results) {
    if (isFinal(spec.state) && spec.nextAttemptAt === undefined) continue;
    const change = (draft: { spec: Partial<typeof spec> }) => {
      delete (draft.spec as { nextAttemptAt?: unknown }).nextAttemptAt;
      if (isFinal(draft.spec.state ?? '')) return;
      Object.assign(draft.spec, { state: 'cancelled', error, waitingFor: '', endedAt: timeOf(nowMs) });
    };
    await state.updateWithConflicts(StepResult.at(metadata.id), change as never, { ...anyone, expectedPhase: 'any' });
  }
  return false;
}

type Steps = NonNullable<RunReport['steps']>;

/** What is told of the steps of such a run: nothing of them goes on. */
export function givenUp(steps: Steps): Steps {
  return Array.from(steps, (counts) => {
    const { state, total, succeeded, failed } = counts;
    return {
      ...counts,
      running: 0,
      ...(isFinal(state) ? {} : { state: 'cancelled', dropped: total - succeeded - failed }),
    };
  });
}
