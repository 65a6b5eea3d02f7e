import { executionId } from '../resources/labels.js';
import { evaluateAction, isForExecutor } from './action.js';
import { beginOf, needOf, placeOf, recordOf } from './attempt-decisions.js';
import { messageOf, rejection } from './condition.js';
import type { Admit, Decision } from './decisions.js';
import { Execution, type ExecutionOutcome } from './execution.js';
import type { ChildFact, Failure, Place, ResultFact, SignalFact } from './facts.js';
import { OwnActions, signalOf } from './own-actions.js';
import { nextAttemptMs } from './retry.js';
import type { RunFacts } from './run-facts.js';
import type { Scopes } from './scopes.js';
import type { StepModel } from './step-model.js';
import { Timers } from './timers.js';
import { afterChild, type Done } from './waiting.js';

/** What the rules of executions need of the run that they belong to. */
export interface ExecutionHost {
  readonly facts: RunFacts;
  readonly scopes: Scopes;
  /** Whether nothing may be started. */
  isHeld(): boolean;
  now(): number;
  decide(decision: Decision): void;
  /** Told when an execution is over. */
  ended(execution: Execution): void;
}

/** What becomes of the executions of one run: attempts, pauses between them, waiting, and their end. */
export class ExecutionRules {
  readonly #host: ExecutionHost;
  readonly #open = new Set<Execution>();
  readonly #toAdvance = new Set<Execution>();
  readonly #timers = new Timers<Execution>();
  readonly #own: OwnActions;

  constructor(host: ExecutionHost) {
    this.#host = host;
    this.#own = new OwnActions({
      facts: host.facts,
      scopes: host.scopes,
      now: () => host.now(),
      decide: (decision) => host.decide(decision),
      started: (execution) => this.#started(execution),
      wakeAt: (ms, execution) => this.#timers.add(ms, execution),
      record: (execution, state, rest) => this.#record(execution, state, rest),
      done: (execution, done, signalAt) => this.#done(execution, done, signalAt),
      end: (execution, failure) => this.#end(execution, failure),
    });
  }

  get nextMs(): number | undefined {
    return this.#timers.nextMs;
  }

  *children(): Generator<Place> {
    for (const { phase, step, index } of this.#open) {
      if (phase === 'waiting' && step.definition.action.kind === 'workflow') yield { step: step.name, index };
    }
  }

  /** What the executions take up that an executor has. */
  *holding(): Generator<Admit> {
    for (const execution of this.#open) {
      if (execution.phase !== 'active') continue;
      const admit = needOf(execution, this.#host);
      if (admit !== undefined) yield admit;
    }
  }

  /** Begins an execution of a step. @param dueMs not before that */
  create(step: StepModel, index: number, dueMs?: number): Execution {
    const execution = new Execution(step, index, step.earlier.get(index) ?? 0);
    step.executions.set(index, execution);
    this.#open.add(execution);
    if (dueMs !== undefined && dueMs > this.#host.now()) this.#backOff(execution, dueMs);
    else this.#toAdvance.add(execution);
    return execution;
  }

  /** Takes up an execution as it was stored. */
  found(execution: Execution): void {
    const { step, phase } = execution;
    if (phase === 'over') return;
    this.#open.add(execution);
    if (phase === 'active') step.active++;
    if (phase === 'waiting') {
      step.waiting++;
      this.#own.found(execution);
    }
    if (execution.deadlineMs !== undefined) this.#timers.add(execution.deadlineMs, execution);
    this.#toAdvance.add(execution);
  }

  /** Something of the run that was held back goes on, or is held back from now on. */
  heldChanged(): void {
    for (const execution of this.#open) {
      if (this.#host.isHeld() && (execution.phase === 'requested' || execution.phase === 'granted')) {
        this.#release(execution);
        execution.phase = 'ready';
      }
      this.#toAdvance.add(execution);
    }
  }

  /** Does one thing that is to be done now. False: there is nothing. */
  advance(): boolean {
    for (const execution of this.#toAdvance) {
      this.#toAdvance.delete(execution);
      this.#advance(execution);
      return true;
    }
    if (this.#host.isHeld()) return false;
    const due = this.#timers.take(this.#host.now());
    if (due === undefined) return false;
    this.#advance(due);
    return true;
  }

  /** Takes away the executions of a step that no attempt has begun of. */
  dropUnbegun(step: StepModel): readonly Execution[] {
    const unbegun = [...this.#open].filter((one) => one.step === step && one.startedMs === undefined);
    for (const execution of unbegun) {
      if (execution.phase === 'requested' || execution.phase === 'granted') this.#release(execution);
      execution.phase = 'over';
      this.#open.delete(execution);
      this.#toAdvance.delete(execution);
    }
    return unbegun;
  }

  grant(execution: Execution): void {
    if (execution.phase !== 'requested') return;
    execution.phase = 'granted';
    this.#toAdvance.add(execution);
  }

  result(execution: Execution, fact: ResultFact): void {
    if (execution.phase !== 'active' || fact.attempt !== execution.attempt) return;
    execution.startedMs = fact.startedMs ?? execution.startedMs;
    execution.endedMs = fact.endedMs;
    execution.recordedNextMs = fact.nextAttemptMs;
    switch (fact.state) {
      case 'running':
      case 'waiting':
        return;
      case 'succeeded':
        this.#leave(execution);
        execution.outputs = fact.outputs ?? '';
        this.#over(execution, 'succeeded');
        return;
      case 'skipped':
      case 'cancelled':
        this.#leave(execution);
        this.#over(execution, 'cancelled', fact.failure);
        return;
      case 'failed':
        this.#leave(execution);
        execution.phase = 'failed';
        execution.failure = fact.failure;
        this.#toAdvance.add(execution);
    }
  }

  tookSignal(result: ResultFact): void {
    this.#own.tookSignal(result);
  }

  signal(fact: SignalFact): void {
    if (!this.#own.signal(fact)) return;
    for (const execution of this.#open)
      if (signalOf(execution.step.definition) === fact.name) this.#toAdvance.add(execution);
  }

  child(execution: Execution, fact: ChildFact): void {
    if (execution.phase !== 'waiting' || fact.retries < execution.attempt - 1) return;
    if (execution.ending !== undefined && fact.state !== 'succeeded') this.#endNow(execution, execution.ending);
    else this.#done(execution, afterChild(fact, executionId(this.#host.facts.id, fact.step, fact.index)));
  }

  /** Asks executions to end, those that began last first; what nobody executes ends at once. */
  end(executions: readonly Execution[], failure: Failure): void {
    const order = (a: Execution, b: Execution) =>
      (b.startedMs ?? Number.POSITIVE_INFINITY) - (a.startedMs ?? Number.POSITIVE_INFINITY) ||
      b.step.order - a.step.order ||
      b.index - a.index;
    for (const execution of [...executions].sort(order)) this.#end(execution, failure);
  }

  #end(execution: Execution, failure: Failure): void {
    if (execution.phase === 'over' || (execution.ending !== undefined && execution.phase === 'active')) return;
    if (execution.phase === 'failed') {
      execution.ending ??= failure;
      this.#toAdvance.add(execution);
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
    } else this.#endNow(execution, failure);
  }

  /** Writes down the end of an execution that nobody executes. */
  #endNow(execution: Execution, failure: Failure): void {
    if (execution.phase === 'requested' || execution.phase === 'granted') this.#release(execution);
    if (execution.phase === 'waiting') execution.step.waiting--;
    const state = failure.reason === 'cancelled' ? 'cancelled' : 'failed';
    const endedMs = this.#host.now();
    // No other attempt is made after that, whoever looks at it.
    execution.deadlineMs = Math.min(execution.deadlineMs ?? endedMs, endedMs);
    this.#record(execution, state, { failure, endedMs });
    this.#over(execution, state, failure);
  }

  #advance(execution: Execution): void {
    const { ending, phase, step } = execution;
    if (phase === 'over' || phase === 'active') return;
    if (phase === 'failed') this.#afterFailure(execution);
    else if (ending !== undefined) {
      // The end of a nested run is waited for.
      if (phase !== 'waiting' || step.definition.action.kind !== 'workflow') this.#endNow(execution, ending);
    } else if (!this.#host.isHeld()) this.#goOn(execution);
  }

  /** Nothing holds it back: looks whether its time has come. */
  #goOn(execution: Execution): void {
    const nowMs = this.#host.now();
    const { deadlineMs, dueMs = 0 } = execution;
    if (deadlineMs !== undefined && nowMs >= deadlineMs) {
      this.#end(execution, { reason: 'timeout', message: 'its attempts took too long together' });
      return;
    }
    switch (execution.phase) {
      case 'backoff':
        if (nowMs >= dueMs) this.#begin(execution);
        return;
      case 'ready':
        this.#begin(execution);
        return;
      case 'granted':
        this.#beginAttempt(execution);
        return;
      case 'waiting':
        this.#own.check(execution);
    }
  }

  #begin(execution: Execution): void {
    execution.phase = 'ready';
    const { action } = execution.step.definition;
    try {
      if (!isForExecutor(action)) {
        this.#own.begin(execution, action);
        return;
      }
      const admit = needOf(execution, this.#host);
      if (admit === undefined) {
        this.#beginAttempt(execution);
        return;
      }
      execution.phase = 'requested';
      this.#host.decide(admit);
    } catch (error) {
      this.#reject(execution, error);
    }
  }

  #beginAttempt(execution: Execution): void {
    const { step } = execution;
    const { definition } = step;
    const { action } = definition;
    if (!isForExecutor(action)) return;
    const { facts, scopes } = this.#host;
    let text: string;
    try {
      text = JSON.stringify(evaluateAction(action, definition, facts.definition, scopes.ofExecution(execution)));
    } catch (error) {
      this.#release(execution);
      this.#reject(execution, error);
      return;
    }
    this.#started(execution);
    execution.phase = 'active';
    step.active++;
    this.#host.decide(beginOf(execution, action, text, facts));
  }

  /** Counts a new attempt, and sets the time limit of all of them with the first. */
  #started(execution: Execution): void {
    const nowMs = this.#host.now();
    const { definition, isFinally } = execution.step;
    execution.attempt++;
    execution.startedMs = nowMs;
    execution.endedMs = undefined;
    execution.recordedNextMs = undefined;
    if (execution.deadlineMs !== undefined) return;
    const { begunMs, definition: workflow } = this.#host.facts;
    const ofStep = definition.deadlineMs === undefined ? undefined : nowMs + definition.deadlineMs;
    const ofRun = isFinally || workflow.timeoutMs === undefined ? undefined : begunMs + workflow.timeoutMs;
    if (ofStep === undefined && ofRun === undefined) return;
    execution.deadlineMs = Math.min(ofStep ?? Number.POSITIVE_INFINITY, ofRun ?? Number.POSITIVE_INFINITY);
    this.#timers.add(execution.deadlineMs, execution);
  }

  /** The end of an attempt that the engine itself made. */
  #done(execution: Execution, done: Done, signalAt = ''): void {
    if (execution.phase === 'waiting') execution.step.waiting--;
    const endedMs = this.#host.now();
    execution.endedMs = endedMs;
    if (done.state === 'succeeded') {
      execution.outputs = JSON.stringify(done.outputs);
      this.#record(execution, 'succeeded', { outputs: execution.outputs, endedMs, signalAt });
      this.#over(execution, 'succeeded');
      return;
    }
    execution.failure = done.failure;
    const next = this.#nextAttempt(execution, done.failure, endedMs);
    execution.recordedNextMs = next;
    this.#record(execution, 'failed', { failure: done.failure, endedMs, nextAttemptMs: next, signalAt });
    execution.phase = 'failed';
    this.#afterFailure(execution);
  }

  /** What cannot be evaluated fails for good. */
  #reject(execution: Execution, error: unknown): void {
    const failure = rejection(messageOf(error));
    execution.startedMs = this.#host.now();
    execution.endedMs = this.#host.now();
    this.#record(execution, 'failed', { failure, endedMs: execution.endedMs });
    this.#over(execution, 'failed', failure);
  }

  #afterFailure(execution: Execution): void {
    const { ending, failure = rejection('it is not known why'), recordedNextMs } = execution;
    const next = this.#nextAttempt(execution, failure, execution.endedMs ?? this.#host.now());
    if (next === undefined) {
      this.#over(execution, 'failed', failure);
      return;
    }
    if (ending !== undefined) {
      this.#endNow(execution, ending);
      return;
    }
    if (failure.reason === 'lost') {
      execution.uncounted++;
      execution.phase = 'ready';
      this.#toAdvance.add(execution);
      return;
    }
    if (next !== recordedNextMs && next > this.#host.now()) {
      this.#host.decide({ kind: 'postpone', ...placeOf(execution), attempt: execution.attempt, nextAttemptMs: next });
    }
    this.#backOff(execution, next);
  }

  #nextAttempt(execution: Execution, failure: Failure, endedMs: number): number | undefined {
    const { deadlineMs } = execution;
    if (deadlineMs !== undefined && endedMs >= deadlineMs) return undefined;
    const counted = execution.attempt - execution.uncounted;
    const scope = this.#host.scopes.ofExecution(execution);
    return nextAttemptMs(execution.step.definition.retry, failure, counted, endedMs, scope);
  }

  #backOff(execution: Execution, dueMs: number): void {
    execution.phase = 'backoff';
    execution.dueMs = dueMs;
    this.#timers.add(dueMs, execution);
  }

  /** The attempt that an executor had is over. */
  #leave(execution: Execution): void {
    execution.step.active--;
    this.#release(execution);
  }

  #release(execution: Execution): void {
    const { runsOn, concurrency } = execution.step.definition;
    if (runsOn.size === 0 || concurrency !== undefined) this.#host.decide({ kind: 'release', ...placeOf(execution) });
  }

  #over(execution: Execution, outcome: ExecutionOutcome, failure?: Failure): void {
    execution.phase = 'over';
    execution.outcome = outcome;
    execution.failure = failure;
    execution.endedMs ??= this.#host.now();
    this.#open.delete(execution);
    execution.step.fanOut?.ended(outcome);
    this.#host.ended(execution);
  }

  #record(execution: Execution, state: ResultFact['state'], rest: Partial<ResultFact>): void {
    this.#host.decide(recordOf(execution, state, rest, this.#host.facts.retries));
  }
}
