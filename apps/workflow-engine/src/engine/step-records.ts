import type { JsonValue } from '@cosi-ts/resource';
import type { Record as RecordDecision } from './decisions.js';
import type { Failure } from './facts.js';
import { FanOut } from './fan-out.js';
import type { StepModel, StepOutcome } from './step-model.js';

/** What is written down when a step begins that has items or rounds. @param items the list, as JSON */
export function beginRecord({ name, startedMs }: StepModel, retries: number, items = ''): RecordDecision {
  return { kind: 'record', result: { step: name, index: -1, attempt: 0, state: 'running', retries, startedMs, items } };
}

/** What is written down when a step ends as a whole. */
export function endRecord(
  step: StepModel,
  state: StepOutcome,
  failure: Failure | undefined,
  retries: number,
  endedMs: number,
): RecordDecision {
  const { name, startedMs } = step;
  const attempt = step.isMany ? 0 : (step.earlier.get(-1) ?? 0);
  return { kind: 'record', result: { step: name, index: -1, attempt, state, retries, failure, startedMs, endedMs } };
}

/** The items of a step, with those counted that were begun; undefined of a step without items. */
export function fanOutOf(step: StepModel, items: readonly JsonValue[]): FanOut | undefined {
  const { forEach } = step.definition;
  if (forEach === undefined) return undefined;
  const fanOut = new FanOut(items, forEach, (index) => step.executions.has(index));
  for (const { outcome } of step.executions.values()) {
    fanOut.found();
    if (outcome !== undefined) fanOut.ended(outcome);
  }
  return fanOut;
}
