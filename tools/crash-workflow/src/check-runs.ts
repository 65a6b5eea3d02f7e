import { isFinal, type ResultView, type Snapshot } from './snapshot.js';
import type { Workload } from './workloads.js';

/** What was asked of a run. */
export interface Asked {
  readonly id: string;
  readonly workload: Workload;
  readonly n: number;
  readonly approved: boolean;
  /** Whether somebody cancelled it, perhaps too late. */
  readonly isCancelled: boolean;
}

/** Whether each run is over as its definition says, and all that belongs to it: gives what is wrong. */
export function checkRuns(asked: readonly Asked[], snapshot: Snapshot): readonly string[] {
  const statuses = new Map(snapshot.statuses.map((status) => [status.run, status]));
  const problems = asked.flatMap((each) => checkOutcome(each, statuses.get(each.id)));
  const results = new Map(snapshot.results.map((result) => [result.id, result]));
  for (const run of snapshot.runs) if (!statuses.has(run)) problems.push(`${run} has no status`);
  for (const { run, state, hasEnd, steps } of snapshot.statuses) {
    if (!isFinal(state) || !hasEnd) problems.push(`${run} is ${state}${hasEnd ? '' : ', without an end time'}`);
    for (const { step, state: stateOfStep } of steps) {
      if (!isFinal(stateOfStep)) problems.push(`${run} is ${state}, and its step ${step} is ${stateOfStep}`);
      const result = results.get(`${run}.${step}`);
      if (result === undefined && isBegun(state)) problems.push(`${run} is ${state}, and ${step} has no result`);
      else if (result !== undefined && result.state !== stateOfStep) {
        problems.push(`${run} says that ${step} is ${stateOfStep}, and its result says ${result.state}`);
      }
    }
  }
  problems.push(...snapshot.results.flatMap(checkResult));
  for (const { id, attempt } of snapshot.executions) {
    const result = results.get(id);
    if (result === undefined) problems.push(`${id} has no result`);
    else if (result.attempt !== attempt) problems.push(`${id} has #${attempt}, and a result of #${result.attempt}`);
  }
  return problems;
}

/** One that was cancelled may be over before, or not have begun. */
function isBegun(state: string): boolean {
  return state !== 'cancelled';
}

function checkOutcome(asked: Asked, status: Snapshot['statuses'][number] | undefined): string[] {
  const { id, workload, n, approved, isCancelled } = asked;
  if (status === undefined) return [`${id} was acknowledged, and is not there`];
  if (isCancelled && status.state === 'cancelled') return [];
  const { state, outputs } = workload.expected(n, approved);
  if (status.state !== state) return [`${id} is ${status.state} instead of ${state}: ${status.message}`];
  if (outputs === undefined || isSame(JSON.parse(status.outputs), outputs)) return [];
  return [`${id} gives ${status.outputs} instead of ${JSON.stringify(outputs)}`];
}

function checkResult({ id, attempt, state, hasEnd, isDue }: ResultView): string[] {
  const name = `the result of ${id}#${attempt}`;
  if (!isFinal(state)) return [`${name} is ${state}`];
  if (!hasEnd) return [`${name} is ${state}, without an end time`];
  return isDue ? [`${name} is ${state}, and another attempt is due`] : [];
}

/** Of values of JSON; the order of keys means nothing. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, sorted(each)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
