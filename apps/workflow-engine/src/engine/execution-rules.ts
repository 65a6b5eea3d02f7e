import { executionId } from '../resources/labels.js';
import { Agenda } from './agenda.js';
import { needOf } from './attempt-decisions.js';
import type { Admit } from './decisions.js';
import { Execution } from './execution.js';
import { ExecutionBeginnings } from './execution-beginnings.js';
import { ExecutionEnds } from './execution-ends.js';
import type { ExecutionHost } from './execution-host.js';
import type { ChildFact, Failure, Place, ResultFact, SignalFact } from './facts.js';
import { OwnActions } from './own-actions.js';
import type { StepModel } from './step-model.js';
import { afterChild } from './waiting.js';

/** What becomes of the executions of one run, as things happen and time goes on. */
export class ExecutionRules {
  readonly #host: ExecutionHost;
  readonly #agenda = new Agenda();
  readonly #own: OwnActions;
  readonly #beginnings: ExecutionBeginnings;
  readonly #ends: ExecutionEnds;

  constructor(host: ExecutionHost) {
    this.#host = host;
    const agenda = this.#agenda;
    const ends = new ExecutionEnds(host, agenda);
    const beginnings = new ExecutionBeginnings(host, agenda, ends, (execution, action) =>
      this.#own.begin(execution, action),
    );
    this.#ends = ends;
    this.#beginnings = beginnings;
    this.#own = new OwnActions({
      facts: host.facts,
      scopes: host.scopes,
      now: () => host.now(),
      decide: (decision) => host.decide(decision),
      started: (execution) => beginnings.started(execution),
      wakeAt: (ms, execution) => agenda.wakeAt(ms, execution),
      record: (execution, state, rest) => ends.record(execution, state, rest),
      done: (execution, done, signalAt) => ends.done(execution, done, signalAt),
      end: (execution, failure) => ends.end(execution, failure),
    });
  }

  get nextMs(): number | undefined {
    return this.#agenda.nextMs;
  }

  *children(): Generator<Place> {
    for (const { phase, step, index } of this.#agenda.open) {
      if (phase === 'waiting' && step.definition.action.kind === 'workflow') yield { step: step.name, index };
    }
  }

  /** What the executions take up that an executor has. */
  *holding(): Generator<Admit> {
    for (const execution of this.#agenda.open) {
      if (execution.phase !== 'active') continue;
      const admit = needOf(execution, this.#host);
      if (admit !== undefined) yield admit;
    }
  }

  /** Begins an execution of a step. @param dueMs not before that */
  create(step: StepModel, index: number, dueMs?: number): Execution {
    const execution = new Execution(step, index, step.earlier.get(index) ?? 0);
    step.executions.set(index, execution);
    this.#agenda.add(execution);
    if (dueMs !== undefined && dueMs > this.#host.now()) this.#ends.backOff(execution, dueMs);
    else this.#agenda.lookAt(execution);
    return execution;
  }

  /** Takes up an execution as it was stored. */
  found(execution: Execution): void {
    const { step, phase } = execution;
    if (phase === 'over') return;
    this.#agenda.add(execution);
    if (phase === 'active') step.active++;
    if (phase === 'waiting') {
      step.waiting++;
      this.#own.found(execution);
    }
    if (execution.deadlineMs !== undefined) this.#agenda.wakeAt(execution.deadlineMs, execution);
    this.#agenda.lookAt(execution);
  }

  /** Something of the run that was held back goes on, or is held back from now on. */
  heldChanged(): void {
    for (const execution of this.#agenda.open) {
      if (this.#host.isHeld() && (execution.phase === 'requested' || execution.phase === 'granted')) {
        this.#ends.release(execution);
        execution.phase = 'ready';
      }
    }
    this.#agenda.lookAtAll();
  }

  /** Does one thing that is to be done now. False: there is nothing. */
  advance(): boolean {
    const next = this.#agenda.take() ?? (this.#host.isHeld() ? undefined : this.#agenda.takeDue(this.#host.now()));
    if (next === undefined) return false;
    this.#advance(next);
    return true;
  }

  /** Takes away the executions of a step that no attempt has begun of. */
  dropUnbegun(step: StepModel): readonly Execution[] {
    const unbegun = [...this.#agenda.open].filter((one) => one.step === step && one.startedMs === undefined);
    for (const execution of unbegun) {
      if (execution.phase === 'requested' || execution.phase === 'granted') this.#ends.release(execution);
      execution.phase = 'over';
      this.#agenda.forget(execution);
    }
    return unbegun;
  }

  grant(execution: Execution): void {
    if (execution.phase !== 'requested') return;
    execution.phase = 'granted';
    this.#agenda.lookAt(execution);
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
        this.#ends.over(execution, 'succeeded');
        return;
      case 'skipped':
      case 'cancelled':
        this.#leave(execution);
        this.#ends.over(execution, 'cancelled', fact.failure);
        return;
      case 'failed':
        this.#leave(execution);
        execution.phase = 'failed';
        execution.failure = fact.failure;
        this.#agenda.lookAt(execution);
    }
  }

  tookSignal(result: ResultFact): void {
    this.#own.tookSignal(result);
  }

  signal(fact: SignalFact): void {
    if (!this.#own.signal(fact)) return;
    for (const execution of this.#agenda.open) if (execution.signal === fact.name) this.#agenda.lookAt(execution);
  }

  child(execution: Execution, fact: ChildFact): void {
    if (execution.phase !== 'waiting' || fact.retries < execution.attempt - 1) return;
    if (execution.ending !== undefined && fact.state !== 'succeeded') this.#ends.endNow(execution, execution.ending);
    else this.#ends.done(execution, afterChild(fact, executionId(this.#host.facts.id, fact.step, fact.index)));
  }

  /** Asks executions to end, those that began last first; what nobody executes ends at once. */
  end(executions: readonly Execution[], failure: Failure): void {
    this.#ends.endAll(executions, failure);
  }

  #advance(execution: Execution): void {
    const { ending, phase, step } = execution;
    if (phase === 'over' || phase === 'active') return;
    if (phase === 'failed') this.#ends.afterFailure(execution);
    else if (ending !== undefined) {
      // The end of a nested run is waited for.
      if (phase !== 'waiting' || step.definition.action.kind !== 'workflow') this.#ends.endNow(execution, ending);
    } else if (!this.#host.isHeld()) this.#goOn(execution);
  }

  /** Nothing holds it back: looks whether its time has come. */
  #goOn(execution: Execution): void {
    const nowMs = this.#host.now();
    const { deadlineMs, dueMs = 0 } = execution;
    if (deadlineMs !== undefined && nowMs >= deadlineMs) {
      this.#ends.end(execution, { reason: 'timeout', message: 'its attempts took too long together' });
      return;
    }
    switch (execution.phase) {
      case 'backoff':
        if (nowMs >= dueMs) this.#beginnings.begin(execution);
        return;
      case 'ready':
        this.#beginnings.begin(execution);
        return;
      case 'granted':
        this.#beginnings.beginGranted(execution);
        return;
      case 'waiting':
        this.#own.check(execution);
    }
  }

  /** The attempt that an executor had is over. */
  #leave(execution: Execution): void {
    execution.step.active--;
    this.#ends.release(execution);
  }
}
