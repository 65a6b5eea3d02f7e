import type { JsonValue } from '@cosi-ts/resource';
import type { StepDefinition } from '../definition/definition.js';
import type { JsonObject } from '../json.js';
import type { StepState } from '../resources/states.js';
import type { Execution } from './execution.js';
import type { Failure } from './facts.js';
import type { FanOut } from './fan-out.js';
import type { NeedCounts } from './join.js';

export type StepOutcome = 'succeeded' | 'failed' | 'skipped' | 'cancelled';

/** How a step stands, in numbers. */
export interface StepCounts {
  readonly step: string;
  readonly state: StepState;
  readonly total: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
}

/** One step of one run. */
export class StepModel {
  readonly definition: StepDefinition;
  /** Its place among the steps, each of which stands after those that it needs. */
  readonly order: number;
  readonly isFinally: boolean;
  readonly needs: readonly StepModel[];
  readonly dependents: StepModel[] = [];
  readonly counts: { -readonly [K in keyof NeedCounts]: NeedCounts[K] };
  /** All that were begun since the last retry, and those that have succeeded before. */
  readonly executions = new Map<number, Execution>();
  /** How many attempts those had that count no more since a retry of the run. */
  readonly earlier = new Map<number, number>();
  phase: 'pending' | 'active' | 'over' = 'pending';
  outcome: StepOutcome | undefined;
  failure: Failure | undefined;
  /** No other execution is begun, for this reason. */
  ending: Failure | undefined;
  startedMs: number | undefined;
  /** The list as it was when the step began. */
  items: readonly JsonValue[] | undefined;
  /** Whether it is written down that the step, as a whole, has begun. */
  isRecorded = false;
  fanOut: FanOut | undefined;
  /** The newest round. */
  round: Execution | undefined;
  active = 0;
  waiting = 0;
  #outputs: JsonObject | undefined;

  constructor(definition: StepDefinition, order: number, isFinally: boolean, needs: readonly StepModel[]) {
    this.definition = definition;
    this.order = order;
    this.isFinally = isFinally;
    this.needs = needs;
    this.counts = { total: needs.length, over: 0, succeeded: 0, failed: 0 };
    for (const need of needs) need.dependents.push(this);
  }

  get name(): string {
    return this.definition.name;
  }

  /** Whether it has executions with an index, and a result of its own. */
  get isMany(): boolean {
    return this.definition.forEach !== undefined || this.definition.repeat !== undefined;
  }

  /** Whether it failed, and nobody said that this does not matter. */
  get hasFailed(): boolean {
    return this.outcome === 'failed' && !this.definition.continueOnError;
  }

  /** Once it is over. Frozen by nobody, changed by nobody. */
  get outputs(): JsonObject {
    this.#outputs ??= this.#readOutputs();
    return this.#outputs;
  }

  summary(): StepCounts {
    const { name: step, fanOut, definition } = this;
    const state = this.outcome ?? this.#openState();
    if (definition.forEach !== undefined && fanOut !== undefined) {
      const { succeeded, failed } = fanOut;
      const total = fanOut.items.length;
      const dropped = this.outcome === undefined ? fanOut.cancelled : total - succeeded - failed;
      return { step, state, total, running: this.active + this.waiting, succeeded, failed, dropped };
    }
    const one = (outcome: StepOutcome) => (this.outcome === outcome ? 1 : 0);
    const running = this.active + this.waiting;
    const failed = one('failed');
    const dropped = one('skipped') + one('cancelled');
    if (definition.repeat !== undefined) {
      const total = this.executions.size;
      // Each round but the newest has succeeded, or there would be no other one. That of a step that failed counts as failed.
      const isNewestGood = (this.outcome ?? this.round?.outcome) === 'succeeded';
      const succeeded = isNewestGood ? total : Math.max(total - 1, 0);
      return { step, state, total, running, succeeded, failed, dropped };
    }
    const total = definition.forEach === undefined ? 1 : 0;
    return { step, state, total, running, succeeded: one('succeeded'), failed, dropped };
  }

  #openState(): StepState {
    if (this.phase === 'pending') return 'pending';
    if (this.active > 0) return 'running';
    return this.waiting > 0 ? 'waiting' : 'running';
  }

  #readOutputs(): JsonObject {
    if (this.fanOut !== undefined) {
      const items = this.fanOut.items.map((_, index): JsonValue => {
        const execution = this.executions.get(index);
        return execution?.outcome === 'succeeded' ? parsed(execution.outputs) : null;
      });
      return { items };
    }
    return parsed((this.round ?? this.executions.get(-1))?.outputs ?? '');
  }
}

function parsed(outputs: string): JsonObject {
  return outputs === '' ? {} : (JSON.parse(outputs) as JsonObject);
}
