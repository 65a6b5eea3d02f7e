import type { Agenda } from './agenda.js';
import { placeOf, recordOf } from './attempt-decisions.js';
import { messageOf, rejection } from './condition.js';
import type { Execution, ExecutionOutcome } from './execution.js';
import type { ExecutionHost } from './execution-host.js';
import type { Failure, ResultFact } from './facts.js';
import { nextAttemptMs } from './retry.js';
import type { Done } from './waiting.js';

/** How attempts and executions end: what is written down of it, and whether another attempt comes after it. */
export class ExecutionEnds {
  readonly #host: ExecutionHost;
  readonly #agenda: Agenda;

  constructor(host: ExecutionHost, agenda: Agenda) {
    this.#host = host;
    this.#agenda = agenda;
  }

  /** Asks executions to end, those that began last first; what nobody executes ends at once. */
  endAll(executions: readonly Execution[], failure: Failure): void {
    const order = (a: Execution, b: Execution) =>
      (b.startedMs ?? Number.POSITIVE_INFINITY) - (a.startedMs ?? Number.POSITIVE_INFINITY) ||
      b.step.order - a.step.order ||
      b.index - a.index;
    for (const execution of [...executions].sort(order)) this.end(execution, failure);
  }

  end(execution: Execution, failure: Failure): void {
    if (execution.phase === 'over' || (execution.ending !== undefined && execution.phase === 'active')) return;
    if (execution.phase === 'failed') {
      execution.ending ??= failure;
      this.#agenda.lookAt(execution);
      return;
    }
    const isFirst = execution.ending === undefined;
    execution.ending ??= failure;
    const { step, index } = execution;
    if (execution.phase === 'active') {
      // A time limit is told to the executor with the attempt.
      if (failure.reason === 'cancelled') this.#host.decide({ kind: 'stop', step: step.name, index });
    } else if (execution.phase === 'waiting' && step.definition.action.kind === 'workflow') {
      if (isFirst) this.#host.decide({ kind: 'stop-child', step: step.name, index });
    } else this.endNow(execution, failure);
  }

  /** Writes down the end of an execution that nobody executes. */
  endNow(execution: Execution, failure: Failure): void {
    if (execution.phase === 'requested' || execution.phase === 'granted') this.release(execution);
    if (execution.phase === 'waiting') execution.step.waiting--;
    const state = failure.reason === 'cancelled' ? 'cancelled' : 'failed';
    const endedMs = this.#host.now();
    // No other attempt is made after that, whoever looks at it.
    execution.deadlineMs = Math.min(execution.deadlineMs ?? endedMs, endedMs);
    this.record(execution, state, { failure, endedMs });
    this.over(execution, state, failure);
  }

  /** The end of an attempt that the engine itself made. */
  done(execution: Execution, done: Done, signalAt = ''): void {
    if (execution.phase === 'waiting') execution.step.waiting--;
    const endedMs = this.#host.now();
    execution.endedMs = endedMs;
    if (done.state === 'succeeded') {
      execution.outputs = JSON.stringify(done.outputs);
      this.record(execution, 'succeeded', { outputs: execution.outputs, endedMs, signalAt });
      this.over(execution, 'succeeded');
      return;
    }
    execution.failure = done.failure;
    const next = this.#nextAttempt(execution, done.failure, endedMs);
    execution.recordedNextMs = next;
    this.record(execution, 'failed', { failure: done.failure, endedMs, nextAttemptMs: next, signalAt });
    execution.phase = 'failed';
    this.afterFailure(execution);
  }

  /** What cannot be evaluated fails for good. */
  reject(execution: Execution, error: unknown): void {
    const failure = rejection(messageOf(error));
    execution.startedMs = this.#host.now();
    execution.endedMs = this.#host.now();
    this.record(execution, 'failed', { failure, endedMs: execution.endedMs });
    this.over(execution, 'failed', failure);
  }

  /** Decides whether an attempt that failed is made again, and when. */
  afterFailure(execution: Execution): void {
    const { ending, failure = rejection('it is not known why'), recordedNextMs } = execution;
    const next = this.#nextAttempt(execution, failure, execution.endedMs ?? this.#host.now());
    if (next === undefined) {
      this.over(execution, 'failed', failure);
      return;
    }
    if (ending !== undefined) {
      this.endNow(execution, ending);
      return;
    }
    if (failure.reason === 'lost') {
      execution.uncounted++;
      execution.phase = 'ready';
      this.#agenda.lookAt(execution);
      return;
    }
    if (next !== recordedNextMs && next > this.#host.now()) {
      this.#host.decide({ kind: 'postpone', ...placeOf(execution), attempt: execution.attempt, nextAttemptMs: next });
    }
    this.backOff(execution, next);
  }

  backOff(execution: Execution, dueMs: number): void {
    execution.phase = 'backoff';
    execution.dueMs = dueMs;
    this.#agenda.wakeAt(dueMs, execution);
  }

  over(execution: Execution, outcome: ExecutionOutcome, failure?: Failure): void {
    execution.phase = 'over';
    execution.outcome = outcome;
    execution.failure = failure;
    execution.endedMs ??= this.#host.now();
    this.#agenda.remove(execution);
    execution.step.fanOut?.ended(outcome);
    this.#host.ended(execution);
  }

  /** Gives back the room that an attempt had, or asked for. */
  release(execution: Execution): void {
    const { runsOn, concurrency } = execution.step.definition;
    if (runsOn.size === 0 || concurrency !== undefined) this.#host.decide({ kind: 'release', ...placeOf(execution) });
  }

  record(execution: Execution, state: ResultFact['state'], rest: Partial<ResultFact>): void {
    this.#host.decide(recordOf(execution, state, rest, this.#host.facts.retries));
  }

  #nextAttempt(execution: Execution, failure: Failure, endedMs: number): number | undefined {
    const { deadlineMs } = execution;
    if (deadlineMs !== undefined && endedMs >= deadlineMs) return undefined;
    const counted = execution.attempt - execution.uncounted;
    const scope = this.#host.scopes.ofExecution(execution);
    return nextAttemptMs(execution.step.definition.retry, failure, counted, endedMs, scope);
  }
}
