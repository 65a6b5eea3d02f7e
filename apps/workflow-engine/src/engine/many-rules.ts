import { messageOf } from './condition.js';
import type { Execution } from './execution.js';
import type { Failure } from './facts.js';
import type { FanOut } from './fan-out.js';
import { type AfterRound, afterRound } from './rounds.js';
import { itemsFailure } from './run-outcome.js';
import type { StepModel, StepOutcome } from './step-model.js';
import { beginRecord, fanOutOf } from './step-records.js';
import type { StepHost } from './step-rules.js';

/** What becomes of steps with many executions: which item or round comes next, and what they come to together. */
export class ManyRules {
  readonly #host: StepHost;
  readonly #over: (step: StepModel, outcome: StepOutcome, failure?: Failure) => void;

  /** @param over ends a step as a whole */
  constructor(host: StepHost, over: (step: StepModel, outcome: StepOutcome, failure?: Failure) => void) {
    this.#host = host;
    this.#over = over;
  }

  lookAtItems(step: StepModel): void {
    const { executions } = this.#host;
    const fanOut = step.fanOut ?? this.#openFanOut(step);
    if (fanOut === undefined) return;
    if (!this.#host.isHeld() && step.ending === undefined) {
      for (let index = fanOut.next(); index !== undefined; index = fanOut.next()) executions.create(step, index);
    }
    if (fanOut.failed > 0 && fanOut.isStopped && !fanOut.isTrimmed && step.ending === undefined) {
      fanOut.isTrimmed = true;
      for (const execution of executions.dropUnbegun(step)) {
        step.executions.delete(execution.index);
        fanOut.dropped();
      }
    }
    const { outcome } = fanOut;
    if (outcome === undefined) return;
    const failure = outcome === 'failed' ? itemsFailure(step, fanOut) : step.ending;
    this.#over(step, outcome, failure);
  }

  lookAtRounds(step: StepModel): void {
    const { executions } = this.#host;
    step.round ??= [...step.executions.values()].at(-1);
    const { round } = step;
    if (round === undefined) {
      if (this.#host.isHeld()) return;
      step.round = executions.create(step, 0);
      this.#recordBegin(step);
      return;
    }
    if (!step.isRecorded) this.#recordBegin(step);
    if (round.outcome === undefined) return;
    if (round.outcome !== 'succeeded') {
      this.#over(step, round.outcome, round.failure);
      return;
    }
    const after = this.#afterRound(step, round);
    if (after.next === 'none') this.#over(step, 'succeeded');
    else if (after.next === 'failure') this.#over(step, 'failed', after.failure);
    else if (step.ending !== undefined) {
      this.#over(step, step.ending.reason === 'cancelled' ? 'cancelled' : 'failed', step.ending);
    } else step.round = executions.create(step, round.index + 1, after.dueMs);
  }

  #openFanOut(step: StepModel): FanOut | undefined {
    const { forEach } = step.definition;
    if (forEach === undefined || (this.#host.isHeld() && step.items === undefined)) return undefined;
    if (step.items === undefined) {
      try {
        const items = forEach.items.evaluate(this.#host.scopes.ofStep(step));
        if (!Array.isArray(items)) throw new TypeError(`forEach needs a list, and has ${JSON.stringify(items)}`);
        step.items = items;
      } catch (error) {
        this.#over(step, 'failed', { reason: 'rejected', message: messageOf(error) });
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

  #afterRound({ definition }: StepModel, round: Execution): AfterRound {
    if (definition.repeat === undefined) return { next: 'none' };
    const { scopes } = this.#host;
    return afterRound(definition.repeat, round.index, scopes.afterRound(round), round.endedMs ?? this.#host.now());
  }

  #recordBegin(step: StepModel, items?: string): void {
    if (step.isRecorded) return;
    step.isRecorded = true;
    step.startedMs ??= this.#host.now();
    this.#host.decide(beginRecord(step, this.#host.facts.retries, items));
  }
}
