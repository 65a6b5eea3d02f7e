import { evaluated } from './action.js';
import type { Admit, Decision } from './decisions.js';
import { ExecutionRules } from './execution-rules.js';
import type { ChildFact, Place, ResultFact, SignalFact } from './facts.js';
import { loadSteps } from './load.js';
import type { RunFacts } from './run-facts.js';
import { RunLimit } from './run-limit.js';
import { type RunOutcome, runOutcome } from './run-outcome.js';
import { runView, Scopes } from './scopes.js';
import { stepGraph } from './step-graph.js';
import type { StepCounts, StepModel } from './step-model.js';
import { StepRules } from './step-rules.js';

/** Rounds that the engine does itself follow each other at once: without an end there would be no other turn. */
const mostDecisions = 500;

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
  readonly #executions: ExecutionRules;
  readonly #stepRules: StepRules;
  #nowMs = 0;
  #decisions: Decision[] = [];
  #paused: boolean;
  #cancelling = false;
  #timedOut = false;
  #deadlinePassed = false;
  #isSettling = false;
  #outcome: RunOutcome | undefined;

  constructor(facts: RunFacts) {
    const { definition, inputs } = facts;
    // What is stored is taken over, and not kept beside it.
    this.#facts = { ...facts, attempts: [], results: [], signals: [] };
    this.#steps = stepGraph(definition);
    this.#limit = new RunLimit(definition, facts.begunMs);
    this.#paused = facts.paused;
    this.#scopes = new Scopes(
      inputs,
      runView(facts),
      () => this.#steps.values(),
      () => this.#stateSoFar(),
    );
    this.#executions = new ExecutionRules({
      facts: this.#facts,
      scopes: this.#scopes,
      isHeld: () => this.#isHeld,
      now: () => this.#nowMs,
      decide: (decision) => this.#push(decision),
      ended: (execution) => this.#stepRules.toLookAt(execution.step),
    });
    this.#stepRules = new StepRules(this.#steps, {
      facts: this.#facts,
      scopes: this.#scopes,
      executions: this.#executions,
      isHeld: () => this.#isHeld,
      now: () => this.#nowMs,
      decide: (decision) => this.#push(decision),
    });
    loadSteps(this.#steps, facts);
    for (const step of this.#steps.values()) {
      this.#stepRules.toLookAt(step);
      for (const execution of step.executions.values()) this.#executions.found(execution);
    }
    for (const result of facts.results) this.#executions.tookSignal(result);
    for (const signal of facts.signals) this.#executions.signal(signal);
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
    const next = this.#executions.nextMs;
    const deadline = this.#stepRules.stepsLeft > 0 && !this.#deadlinePassed ? this.#limit.deadlineMs : undefined;
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
    return this.#executions.children();
  }

  /** What the executions take up that an executor has. For who makes the model from what is stored, after a decision. */
  get holding(): Iterable<Admit> {
    return this.#executions.holding();
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
    this.#stepRules.endAll({ reason: 'cancelled', message: 'the run was cancelled' });
  }

  /** Ends a run that never began: not even the steps of `finally` are executed. */
  abandon(): void {
    this.#cancelling = true;
    this.#stepRules.endAll({ reason: 'cancelled', message: 'the run was cancelled before it began' }, true);
  }

  result(fact: ResultFact): void {
    if (fact.retries < this.#facts.retries && fact.state !== 'succeeded') return;
    if (this.#limit.isTooLate(fact)) this.#timedOut = true;
    const execution = this.#steps.get(fact.step)?.executions.get(fact.index);
    if (execution !== undefined) this.#executions.result(execution, fact);
  }

  signal(fact: SignalFact): void {
    this.#executions.signal(fact);
  }

  child(fact: ChildFact): void {
    const execution = this.#steps.get(fact.step)?.executions.get(fact.index);
    if (execution !== undefined) this.#executions.child(execution, fact);
  }

  /** An execution that asked for room has it. */
  grant({ step, index }: Place): void {
    const execution = this.#steps.get(step)?.executions.get(index);
    if (execution !== undefined) this.#executions.grant(execution);
  }

  /**
   * What is to be done now, in this order where the order can be seen. What was given before is not given again. When that
   * is very much it is the beginning of it, and the rest is given the next time.
   */
  decide(nowMs: number): readonly Decision[] {
    this.#nowMs = Math.max(nowMs, this.#nowMs);
    this.#checkDeadline();
    this.#settle(mostDecisions);
    if (this.#outcome === undefined && this.#stepRules.areOver) this.#outcome = this.#finish();
    const decisions = this.#decisions;
    this.#decisions = [];
    return decisions;
  }

  /** Does what is to be done, until that is nothing more, or so much was decided. */
  #settle(most = Number.POSITIVE_INFINITY): void {
    while (this.#decisions.length < most) {
      if (!this.#stepRules.advance() && !this.#executions.advance()) return;
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
    if (this.#stepRules.stepsLeft > 0) {
      this.#timedOut = true;
      this.#stepRules.endAll(this.#limit.failure);
    }
    this.#heldChanged();
  }

  #heldChanged(): void {
    this.#executions.heldChanged();
    this.#stepRules.heldChanged();
  }

  #push(decision: Decision): void {
    if (decision.kind === 'record' && this.#limit.isTooLate(decision.result)) this.#timedOut = true;
    this.#decisions.push(decision);
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
