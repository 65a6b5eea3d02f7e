import { evaluated } from './action.js';
import { messageOf, truth } from './condition.js';
import type { Admit, Decision } from './decisions.js';
import type { Execution } from './execution.js';
import { ExecutionRules } from './execution-rules.js';
import type { ChildFact, Failure, Place, ResultFact, SignalFact } from './facts.js';
import type { FanOut } from './fan-out.js';
import { isExecutedOn, joinOutcome } from './join.js';
import { loadSteps } from './load.js';
import { type AfterRound, afterRound } from './rounds.js';
import type { RunFacts } from './run-facts.js';
import { RunLimit } from './run-limit.js';
import { itemsFailure, type RunOutcome, runOutcome } from './run-outcome.js';
import { Scopes } from './scopes.js';
import { stepGraph } from './step-graph.js';
import type { StepCounts, StepModel, StepOutcome } from './step-model.js';
import { beginRecord, endRecord, fanOutOf } from './step-records.js';

/**
 * One run: it is told what has happened, and decides what is to be done. It does nothing by itself and has no clock:
 * the same facts and times give the same decisions, whether they came one by one or were there from the beginning. A
 * change costs as much as it concerns, however many executions the run has.
 *
 * Whoever carries out the decisions either does all of them, or makes a new model from what is stored.
 */
export class RunModel {
  readonly #facts: RunFacts;
  readonly #steps: ReadonlyMap<string, StepModel>;
  readonly #scopes: Scopes;
  readonly #limit: RunLimit;
  readonly #rules: ExecutionRules;
  readonly #toLookAt = new Set<StepModel>();
  #stepsLeft: number;
  #finallyLeft: number;
  #nowMs = 0;
  #decisions: Decision[] = [];
  #paused: boolean;
  #cancelling = false;
  #timedOut = false;
  #deadlinePassed = false;
  #isSettling = false;
  #outcome: RunOutcome | undefined;

  constructor(facts: RunFacts) {
    const { definition, id, workflow, retries, inputs } = facts;
    // What is stored is taken over, and not kept beside it.
    this.#facts = { ...facts, attempts: [], results: [], signals: [] };
    this.#steps = stepGraph(definition);
    this.#limit = new RunLimit(definition, facts.begunMs);
    this.#paused = facts.paused;
    this.#stepsLeft = definition.steps.size;
    this.#finallyLeft = definition.finally.size;
    this.#scopes = new Scopes(
      inputs,
      { id, workflow, retries },
      () => this.#steps.values(),
      () => this.#stateSoFar(),
    );
    this.#rules = new ExecutionRules({
      facts: this.#facts,
      scopes: this.#scopes,
      isHeld: () => this.#isHeld,
      now: () => this.#nowMs,
      decide: (decision) => this.#push(decision),
      ended: (execution) => this.#toLookAt.add(execution.step),
    });
    loadSteps(this.#steps, facts);
    for (const step of this.#steps.values()) {
      this.#toLookAt.add(step);
      for (const execution of step.executions.values()) this.#rules.found(execution);
    }
    for (const result of facts.results) this.#rules.tookSignal(result);
    for (const signal of facts.signals) this.#rules.signal(signal);
    for (const result of facts.results) if (this.#limit.isTooLate(result)) this.#timedOut = true;
    if (facts.cancelling) this.cancel();
  }

  /** What it came to; undefined while it is not over. */
  get outcome(): RunOutcome | undefined {
    return this.#outcome;
  }

  get isCancelling(): boolean {
    return this.#cancelling;
  }

  /** When {@link decide} is to be called again, though nothing happens; undefined: only when something does. */
  get nextMs(): number | undefined {
    if (this.#isHeld || this.#outcome !== undefined) return undefined;
    const next = this.#rules.nextMs;
    const deadline = this.#stepsLeft > 0 && !this.#deadlinePassed ? this.#limit.deadlineMs : undefined;
    if (next === undefined || deadline === undefined) return next ?? deadline;
    return Math.min(next, deadline);
  }

  /** In the order of the definition. */
  *summaries(): Generator<StepCounts> {
    const { steps, finally: last } = this.#facts.definition;
    for (const name of [...steps.keys(), ...last.keys()]) {
      const step = this.#steps.get(name);
      if (step !== undefined) yield step.summary();
    }
  }

  /** The executions that wait for a nested run. */
  get children(): Iterable<Place> {
    return this.#rules.children();
  }

  /** What the executions take up that an executor has. For who makes the model from what is stored, after a decision. */
  get holding(): Iterable<Admit> {
    return this.#rules.holding();
  }

  pause(paused: boolean): void {
    if (paused === this.#paused) return;
    const wasHeld = this.#isHeld;
    this.#paused = paused;
    if (wasHeld !== this.#isHeld) this.#heldChanged();
  }

  /** Begins the end of the run: from now on nothing is started but the steps of `finally`. */
  cancel(): void {
    if (this.#cancelling) return;
    const wasHeld = this.#isHeld;
    this.#cancelling = true;
    if (wasHeld) this.#heldChanged();
    this.#endSteps({ reason: 'cancelled', message: 'the run was cancelled' });
  }

  /** Ends a run that never began: not even the steps of `finally` are executed. */
  abandon(): void {
    this.#cancelling = true;
    this.#endSteps({ reason: 'cancelled', message: 'the run was cancelled before it began' }, true);
  }

  result(fact: ResultFact): void {
    if (fact.retries < this.#facts.retries && fact.state !== 'succeeded') return;
    if (this.#limit.isTooLate(fact)) this.#timedOut = true;
    const execution = this.#steps.get(fact.step)?.executions.get(fact.index);
    if (execution !== undefined) this.#rules.result(execution, fact);
  }

  signal(fact: SignalFact): void {
    this.#rules.signal(fact);
  }

  child(fact: ChildFact): void {
    const execution = this.#steps.get(fact.step)?.executions.get(fact.index);
    if (execution !== undefined) this.#rules.child(execution, fact);
  }

  /** An execution that asked for room has it. */
  grant({ step, index }: Place): void {
    const execution = this.#steps.get(step)?.executions.get(index);
    if (execution !== undefined) this.#rules.grant(execution);
  }

  /** What is to be done now, in this order where the order can be seen. What was given before is not given again. */
  decide(nowMs: number): readonly Decision[] {
    this.#nowMs = Math.max(nowMs, this.#nowMs);
    this.#checkDeadline();
    this.#settle();
    if (this.#outcome === undefined && this.#stepsLeft === 0 && this.#finallyLeft === 0) this.#outcome = this.#finish();
    const decisions = this.#decisions;
    this.#decisions = [];
    return decisions;
  }

  /** Does what is to be done, until that is nothing more. */
  #settle(): void {
    for (;;) {
      const step = first(this.#toLookAt);
      if (step !== undefined) {
        this.#toLookAt.delete(step);
        this.#lookAt(step);
      } else if (!this.#rules.advance()) return;
    }
  }

  /** Paused runs start nothing; one that is cancelled is paused no more. */
  get #isHeld(): boolean {
    return (this.#paused && !this.#cancelling) || this.#isSettling;
  }

  #checkDeadline(): void {
    const deadlineMs = this.#limit.deadlineMs;
    if (deadlineMs === undefined || this.#nowMs < deadlineMs || this.#deadlinePassed || this.#isHeld) return;
    this.#deadlinePassed = true;
    // What is over already counts as that, and nothing else is begun any more.
    this.#isSettling = true;
    this.#settle();
    this.#isSettling = false;
    if (this.#stepsLeft > 0) {
      this.#timedOut = true;
      this.#endSteps(this.#limit.failure);
    }
    this.#heldChanged();
  }

  #heldChanged(): void {
    this.#rules.heldChanged();
    for (const step of this.#steps.values()) if (step.phase !== 'over') this.#toLookAt.add(step);
  }

  /** Begins the end of all of `steps`. */
  #endSteps(failure: Failure, finallyToo = false): void {
    const steps = [...this.#steps.values()].filter(
      ({ phase, isFinally }) => phase !== 'over' && (finallyToo || !isFinally),
    );
    this.#endTogether(steps, failure);
  }

  /** Begins the end of steps: of the executions those first that began last. */
  #endTogether(steps: readonly StepModel[], failure: Failure): void {
    const executions: Execution[] = [];
    for (const step of steps) {
      step.ending ??= failure;
      step.fanOut?.stop();
      this.#toLookAt.add(step);
      for (const execution of step.executions.values()) if (execution.phase !== 'over') executions.push(execution);
    }
    this.#rules.end(executions, failure);
  }

  #lookAt(step: StepModel): void {
    if (step.phase === 'pending') this.#consider(step);
    if (step.phase !== 'active') return;
    if (step.outcome !== undefined) {
      // It was over before: only its executions are to be counted.
      if (step.items !== undefined) step.fanOut = fanOutOf(step, step.items);
      step.round = [...step.executions.values()].at(-1);
      this.#over(step, step.outcome, step.failure);
    } else if (step.definition.forEach !== undefined) this.#lookAtItems(step);
    else if (step.definition.repeat !== undefined) this.#lookAtRounds(step);
    else {
      const execution = step.executions.get(-1);
      if (execution === undefined) this.#rules.create(step, -1);
      else if (execution.outcome !== undefined) this.#over(step, execution.outcome, execution.failure);
    }
  }

  /** Whether a step begins, is skipped, or has to wait. */
  #consider(step: StepModel): void {
    const { definition, ending } = step;
    if (ending !== undefined) {
      this.#wholeOver(step, ending.reason === 'cancelled' ? 'cancelled' : 'failed', ending);
      return;
    }
    if (this.#isHeld || (step.isFinally && this.#stepsLeft > 0)) return;
    const outcome = joinOutcome(definition.needs.join, step.counts);
    if (outcome === 'open') return;
    if (!isExecutedOn(definition.on, outcome)) {
      this.#wholeOver(step, 'skipped');
      return;
    }
    if (definition.when !== undefined) {
      const { value, failure } = truth(definition.when, this.#scopes.ofStep(step));
      if (failure !== undefined) {
        this.#wholeOver(step, 'failed', failure);
        return;
      }
      if (!value) {
        this.#wholeOver(step, 'skipped');
        return;
      }
    }
    step.phase = 'active';
    step.startedMs = this.#nowMs;
  }

  #lookAtItems(step: StepModel): void {
    const fanOut = step.fanOut ?? this.#openFanOut(step);
    if (fanOut === undefined) return;
    if (!this.#isHeld && step.ending === undefined) {
      for (let index = fanOut.next(); index !== undefined; index = fanOut.next()) this.#rules.create(step, index);
    }
    if (fanOut.failed > 0 && fanOut.isStopped && !fanOut.isTrimmed && step.ending === undefined) {
      fanOut.isTrimmed = true;
      for (const execution of this.#rules.dropUnbegun(step)) {
        step.executions.delete(execution.index);
        fanOut.dropped();
      }
    }
    const { outcome } = fanOut;
    if (outcome === undefined) return;
    const failure = outcome === 'failed' ? itemsFailure(step, fanOut) : step.ending;
    this.#wholeOver(step, outcome, failure);
  }

  #openFanOut(step: StepModel): FanOut | undefined {
    const { forEach } = step.definition;
    if (forEach === undefined || (this.#isHeld && step.items === undefined)) return undefined;
    if (step.items === undefined) {
      try {
        const items = forEach.items.evaluate(this.#scopes.ofStep(step));
        if (!Array.isArray(items)) throw new TypeError(`forEach needs a list, and has ${JSON.stringify(items)}`);
        step.items = items;
      } catch (error) {
        this.#wholeOver(step, 'failed', { reason: 'rejected', message: messageOf(error) });
        return undefined;
      }
    }
    const fanOut = fanOutOf(step, step.items);
    if (fanOut === undefined) return undefined;
    step.fanOut = fanOut;
    if (step.ending !== undefined) fanOut.stop();
    this.#recordBegin(step, JSON.stringify(step.items));
    return fanOut;
  }

  #lookAtRounds(step: StepModel): void {
    step.round ??= [...step.executions.values()].at(-1);
    const { round } = step;
    if (round === undefined) {
      if (this.#isHeld) return;
      step.round = this.#rules.create(step, 0);
      this.#recordBegin(step);
      return;
    }
    if (!step.isRecorded) this.#recordBegin(step);
    if (round.outcome === undefined) return;
    if (round.outcome !== 'succeeded') {
      this.#wholeOver(step, round.outcome, round.failure);
      return;
    }
    const after = this.#afterRound(step, round);
    if (after.next === 'none') this.#wholeOver(step, 'succeeded');
    else if (after.next === 'failure') this.#wholeOver(step, 'failed', after.failure);
    else if (step.ending !== undefined) {
      this.#wholeOver(step, step.ending.reason === 'cancelled' ? 'cancelled' : 'failed', step.ending);
    } else step.round = this.#rules.create(step, round.index + 1, after.dueMs);
  }

  #afterRound({ definition }: StepModel, round: Execution): AfterRound {
    if (definition.repeat === undefined) return { next: 'none' };
    return afterRound(definition.repeat, round.index, this.#scopes.afterRound(round), round.endedMs ?? this.#nowMs);
  }

  #push(decision: Decision): void {
    if (decision.kind === 'record' && this.#limit.isTooLate(decision.result)) this.#timedOut = true;
    this.#decisions.push(decision);
  }

  #recordBegin(step: StepModel, items?: string): void {
    if (step.isRecorded) return;
    step.isRecorded = true;
    step.startedMs ??= this.#nowMs;
    this.#push(beginRecord(step, this.#facts.retries, items));
  }

  /** A step ends as a whole, begun or not. */
  #wholeOver(step: StepModel, outcome: StepOutcome, failure?: Failure): void {
    this.#push(endRecord(step, outcome, failure, this.#facts.retries, this.#nowMs));
    this.#over(step, outcome, failure);
  }

  #over(step: StepModel, outcome: StepOutcome, failure: Failure | undefined): void {
    step.phase = 'over';
    step.outcome = outcome;
    step.failure = failure;
    if (step.isFinally) this.#finallyLeft--;
    else if (--this.#stepsLeft === 0)
      for (const last of this.#steps.values()) if (last.isFinally) this.#toLookAt.add(last);
    for (const dependent of step.dependents) {
      const { counts, definition } = dependent;
      counts.over++;
      if (outcome === 'succeeded' || (outcome === 'failed' && step.definition.continueOnError)) counts.succeeded++;
      else if (outcome === 'failed') counts.failed++;
      if (dependent.phase === 'pending') this.#toLookAt.add(dependent);
      if (definition.needs.cancelRest && joinOutcome(definition.needs.join, counts) === 'succeeded') {
        this.#cancelRest(dependent);
      }
    }
  }

  /** Enough of what a step needs has succeeded: the others are not waited for, and end. */
  #cancelRest(step: StepModel): void {
    const failure: Failure = { reason: 'cancelled', message: `${step.name} needs it no more` };
    const rest = step.needs.filter(({ phase, ending }) => phase !== 'over' && ending === undefined);
    this.#endTogether(rest, failure);
  }

  #finish(): RunOutcome {
    const timeout = this.#timedOut ? this.#limit.failure : undefined;
    return runOutcome(this.#stateSoFar(), timeout, this.#steps.values(), () =>
      evaluated(this.#facts.definition.outputs, this.#scopes.ofRun()),
    );
  }

  #stateSoFar(): RunOutcome['state'] {
    if (this.#cancelling) return 'cancelled';
    if (this.#timedOut) return 'failed';
    for (const step of this.#steps.values()) if (step.hasFailed) return 'failed';
    return 'succeeded';
  }
}

function first<T>(of: Set<T>): T | undefined {
  for (const one of of) return one;
  return undefined;
}
