import type { RunStatusSpec, WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { isFinal } from '../resources/states.js';

export type RunStatusView = Pick<RunStatusSpec, 'state' | 'retries' | 'concurrencyKey'>;

/** Whether a run has ended, and nobody asked for another try. */
export function isOver({ retries }: Pick<WorkflowRunSpec, 'retries'>, status: RunStatusView | undefined): boolean {
  if (status === undefined || !isFinal(status.state)) return false;
  return status.state === 'succeeded' || retries <= status.retries;
}
