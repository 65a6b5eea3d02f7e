import type { StepDefinition } from '../definition/definition.js';
import { type ExecutorAction, executorOf, isForExecutor } from './action.js';
import type { Admit, Begin, Record as RecordDecision } from './decisions.js';
import type { Execution } from './execution.js';
import type { Place, ResultFact } from './facts.js';
import type { RunFacts } from './run-facts.js';
import type { Scopes } from './scopes.js';

interface Surroundings {
  readonly facts: RunFacts;
  readonly scopes: Scopes;
}

export function placeOf({ step, index }: Execution): Place {
  return { step: step.name, index };
}

/** The room that an attempt needs; undefined: none. Throws what the expression of a key throws. */
export function needOf(execution: Execution, { facts, scopes }: Surroundings): Admit | undefined {
  const { runsOn, concurrency, priority, action } = execution.step.definition;
  if (!isForExecutor(action)) return undefined;
  const pool = runsOn.size > 0 ? undefined : executorOf(action);
  const key = concurrency === undefined ? undefined : keyOf(execution, concurrency, scopes);
  if (pool === undefined && key === undefined) return undefined;
  return { kind: 'admit', ...placeOf(execution), pool, key, priority: priority + facts.priority };
}

function keyOf(execution: Execution, { key, limit }: NonNullable<StepDefinition['concurrency']>, scopes: Scopes) {
  const name = key.evaluate(scopes.ofExecution(execution));
  return { name: typeof name === 'string' ? name : JSON.stringify(name), limit };
}

/** @param text the action, evaluated, as JSON */
export function beginOf(execution: Execution, action: ExecutorAction, text: string, facts: RunFacts): Begin {
  const { step, index, attempt, uncounted, deadlineMs } = execution;
  const { timeoutMs, priority, runsOn } = step.definition;
  const item = index < 0 ? undefined : step.items?.[index];
  return {
    kind: 'begin',
    ...placeOf(execution),
    attempt,
    uncounted,
    retries: facts.retries,
    item: item === undefined ? '' : JSON.stringify(item),
    executor: executorOf(action),
    action: text,
    timeoutMs: timeoutMs ?? 0,
    deadlineMs,
    priority: priority + facts.priority,
    runsOn,
  };
}

export function recordOf(
  execution: Execution,
  state: ResultFact['state'],
  rest: Partial<ResultFact>,
  retries: number,
): RecordDecision {
  const { attempt, uncounted, startedMs, deadlineMs, signal = '' } = execution;
  const result = { ...placeOf(execution), attempt, uncounted, state, retries, startedMs, deadlineMs, signal, ...rest };
  return { kind: 'record', result };
}
