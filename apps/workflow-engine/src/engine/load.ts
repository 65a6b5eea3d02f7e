import type { JsonValue } from '@cosi-ts/resource';
import { Execution } from './execution.js';
import type { AttemptFact, ResultFact } from './facts.js';
import type { RunFacts } from './run-facts.js';
import type { StepModel } from './step-model.js';

interface Stored {
  attempt?: AttemptFact;
  result?: ResultFact;
}

/**
 * Puts what is stored of a run into its steps: which were begun, and how their executions stand. What follows from that,
 * the model decides.
 */
export function loadSteps(steps: ReadonlyMap<string, StepModel>, facts: RunFacts): void {
  const stored = new Map<StepModel, Map<number, Stored>>();
  const at = (step: string, index: number): Stored => {
    const model = steps.get(step);
    if (model === undefined) return {};
    const places = stored.get(model) ?? new Map<number, Stored>();
    stored.set(model, places);
    const place = places.get(index) ?? {};
    places.set(index, place);
    return place;
  };
  for (const attempt of facts.attempts) at(attempt.step, attempt.index).attempt = attempt;
  for (const result of facts.results) at(result.step, result.index).result = result;
  for (const step of steps.values()) {
    const places = stored.get(step);
    if (places === undefined) continue;
    const whole = places.get(-1)?.result;
    if (whole !== undefined && (step.isMany || isUnbegun(places.get(-1)))) loadWhole(step, whole, facts.retries);
    for (const [index, place] of [...places].sort(([a], [b]) => a - b)) {
      if (step.isMany === index >= 0) loadExecution(step, index, place, facts.retries);
    }
  }
}

/** What is written of a step as a whole: of one with items or rounds, and of one that was never begun. */
function loadWhole(step: StepModel, result: ResultFact, retries: number): void {
  if (result.items !== undefined && result.items !== '') step.items = JSON.parse(result.items) as JsonValue[];
  if (isVoid(result, retries)) return;
  step.startedMs = result.startedMs;
  step.isRecorded = true;
  switch (result.state) {
    case 'running':
    case 'waiting':
      step.phase = 'active';
      return;
    case 'succeeded':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      step.phase = 'active';
      step.outcome = result.state;
      step.failure = result.failure;
  }
}

/** Whether a step came to its end without an attempt of it, since the last retry at least. */
function isUnbegun({ attempt, result }: Stored = {}): boolean {
  if (result === undefined || result.attempt < (attempt?.attempt ?? 0)) return false;
  return result.attempt === 0 || result.state === 'skipped';
}

function loadExecution(step: StepModel, index: number, { attempt, result }: Stored, retries: number): void {
  if (!step.isMany && step.outcome !== undefined) return;
  const newest = Math.max(attempt?.attempt ?? 0, result?.attempt ?? 0);
  const goesOn = attempt !== undefined && attempt.attempt > (result?.attempt ?? 0);
  if (!goesOn && result !== undefined && isVoid(result, retries)) {
    step.earlier.set(index, newest);
    return;
  }
  const execution = new Execution(step, index, 0);
  execution.attempt = newest;
  execution.uncounted = attempt?.attempt === newest ? attempt.uncounted : (result?.uncounted ?? 0);
  execution.deadlineMs = earliest(attempt?.deadlineMs, goesOn ? undefined : result?.deadlineMs);
  execution.startedMs = attempt?.begunMs;
  if (goesOn || (attempt !== undefined && result?.state === 'running')) {
    execution.phase = 'active';
    if (attempt.stopping) execution.ending = { reason: 'cancelled', message: 'was cancelled' };
  } else if (result !== undefined) loadResult(execution, result);
  step.phase = 'active';
  step.executions.set(index, execution);
}

function loadResult(execution: Execution, result: ResultFact): void {
  execution.startedMs = result.startedMs;
  execution.endedMs = result.endedMs;
  execution.failure = result.failure;
  execution.outputs = result.outputs ?? '';
  execution.recordedNextMs = result.nextAttemptMs;
  if (result.signal !== undefined && result.signal !== '') execution.signal = result.signal;
  switch (result.state) {
    case 'running':
    case 'waiting':
      execution.phase = 'waiting';
      execution.dueMs = result.waitingUntilMs;
      return;
    case 'failed':
      execution.phase = 'failed';
      return;
    case 'succeeded':
      execution.phase = 'over';
      execution.outcome = 'succeeded';
      return;
    case 'skipped':
    case 'cancelled':
      execution.phase = 'over';
      execution.outcome = 'cancelled';
  }
}

/** Whether a retry of the run has made it as if this had not been. */
function isVoid({ state, retries }: ResultFact, current: number): boolean {
  return retries < current && state !== 'succeeded';
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
