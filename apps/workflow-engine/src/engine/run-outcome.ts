import type { JsonObject } from '../json.js';
import { messageOf } from './condition.js';
import type { Failure } from './facts.js';
import type { FanOut } from './fan-out.js';
import type { StepModel } from './step-model.js';

/** What a run has come to. */
export interface RunOutcome {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  /** Why it failed; else empty. */
  readonly message: string;
  /** A JSON object, of a run that has succeeded; else empty. */
  readonly outputs: string;
}

/**
 * The outcome of a run that is over.
 *
 * @param timeout why it failed, when it took too long
 * @param outputs throws what an expression throws
 */
export function runOutcome(
  state: RunOutcome['state'],
  timeout: Failure | undefined,
  steps: Iterable<StepModel>,
  outputs: () => JsonObject,
): RunOutcome {
  if (state === 'cancelled') return { state, message: '', outputs: '' };
  if (state === 'failed') return { state, message: timeout?.message ?? failureOf(steps), outputs: '' };
  try {
    return { state, message: '', outputs: JSON.stringify(outputs()) };
  } catch (error) {
    return { state: 'failed', message: `the outputs of the run: ${messageOf(error)}`, outputs: '' };
  }
}

function failureOf(steps: Iterable<StepModel>): string {
  for (const step of steps) if (step.hasFailed) return `the step ${step.name} failed: ${step.failure?.message ?? ''}`;
  return '';
}

/** Why a step failed of which too many items did. */
export function itemsFailure(step: StepModel, { failed, items }: FanOut): Failure {
  let message = '';
  for (const { outcome, failure } of step.executions.values()) {
    if (outcome !== 'failed') continue;
    message = failure?.message ?? '';
    break;
  }
  return { reason: 'error', message: `${failed} of ${items.length} items failed: ${message}` };
}
