import { truth } from './condition.js';
import type { Decision } from './decisions.js';
import type { Execution } from './execution.js';
import type { ExecutionRules } from './execution-rules.js';
import type { Failure } from './facts.js';
import { isExecutedOn, joinOutcome } from './join.js';
import { ManyRules } from './many-rules.js';
import type { RunFacts } from './run-facts.js';
import type { Scopes } from './scopes.js';
import type { StepModel, StepOutcome } from './step-model.js';
import { endRecord, fanOutOf } from './step-records.js';

/** What the rules of steps need of the run that they belong to. */
export interface StepHost {
  readonly facts: RunFacts;
  readonly scopes: Scopes;
  readonly executions: ExecutionRules;
  /** Whether nothing may be started. */
  isHeld(): boolean;
  now(): number;
  decide(decision: Decision): void;
}

/** What becomes of the steps of one run: when each is looked at, whether it is executed, and how it ends as a whole. */
export class StepRules {
  readonly #host: StepHost;
  readonly #steps: ReadonlyMap<string, StepModel>;
  readonly #many: ManyRules;
  readonly #toLookAt = new Set<StepModel>();
  #stepsLeft: number;
  #finallyLeft: number;

  constructor(steps: ReadonlyMap<string, StepModel>, host: StepHost) {
    const { definition } = host.facts;
    this.#steps = steps;
    this.#host = host;
    this.#stepsLeft = definition.steps.size;
    this.#finallyLeft = definition.finally.size;
    this.#many = new ManyRules(host, (step, outcome, failure) => this.#wholeOver(step, outcome, failure));
  }

  /** How many of `steps` are not over. */
  get stepsLeft(): number {
    return this.#stepsLeft;
  }

  get areOver(): boolean {
    return this.#stepsLeft === 0 && this.#finallyLeft === 0;
  }

  toLookAt(step: StepModel): void {
    this.#toLookAt.add(step);
  }

  /** Something of the run that was held back goes on, or is held back from now on. */
  heldChanged(): void {
    for (const step of this.#steps.values()) if (step.phase !== 'over') this.#toLookAt.add(step);
  }

  /** Looks at one step that is to be looked at. False: there is none. */
  advance(): boolean {
    for (const step of this.#toLookAt) {
      this.#toLookAt.delete(step);
      this.#lookAt(step);
      return true;
    }
    return false;
  }

  /** Begins the end of all of `steps`. */
  endAll(failure: Failure, finallyToo = false): void {
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
    this.#host.executions.end(executions, failure);
  }

  #lookAt(step: StepModel): void {
    if (step.phase === 'pending') this.#consider(step);
    if (step.phase !== 'active') return;
    if (step.outcome !== undefined) {
      // It was over before: only its executions are to be counted.
      if (step.items !== undefined) step.fanOut = fanOutOf(step, step.items);
      step.round = [...step.executions.values()].at(-1);
      this.#over(step, step.outcome, step.failure);
    } else if (step.definition.forEach !== undefined) this.#many.lookAtItems(step);
    else if (step.definition.repeat !== undefined) this.#many.lookAtRounds(step);
    else {
      const execution = step.executions.get(-1);
      if (execution === undefined) this.#host.executions.create(step, -1);
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
    if (this.#host.isHeld() || (step.isFinally && this.#stepsLeft > 0)) return;
    const outcome = joinOutcome(definition.needs.join, step.counts);
    if (outcome === 'open') return;
    if (!isExecutedOn(definition.on, outcome)) {
      this.#wholeOver(step, 'skipped');
      return;
    }
    if (definition.when !== undefined) {
      const { value, failure } = truth(definition.when, this.#host.scopes.ofStep(step));
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
    step.startedMs = this.#host.now();
  }

  /** A step ends as a whole, begun or not. */
  #wholeOver(step: StepModel, outcome: StepOutcome, failure?: Failure): void {
    this.#host.decide(endRecord(step, outcome, failure, this.#host.facts.retries, this.#host.now()));
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
}
