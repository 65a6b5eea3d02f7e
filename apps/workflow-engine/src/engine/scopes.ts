import type { JsonValue } from '@cosi-ts/resource';
import type { Scope } from '../expression/expression.js';
import type { JsonObject } from '../json.js';
import type { Execution } from './execution.js';
import type { Failure } from './facts.js';
import type { RunFacts } from './run-facts.js';
import type { StepModel } from './step-model.js';

/** What expressions are told of the run itself. */
export function runView({ id, workflow, retries, trigger, createdMs, begunMs }: RunFacts): JsonObject {
  return { id, workflow, retries, trigger, createdAt: timeText(createdMs), startedAt: timeText(begunMs) };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** What expressions of a run can speak of. */
export class Scopes {
  readonly #inputs: JsonObject;
  readonly #run: JsonObject;
  readonly #bases = new Map<StepModel, { readonly over: number; readonly scope: Scope }>();
  readonly #reach = new Map<StepModel, readonly StepModel[]>();
  readonly #steps: () => Iterable<StepModel>;
  readonly #state: () => string;

  /** @param state what the run has come to so far: for steps of `finally` */
  constructor(inputs: JsonObject, run: JsonObject, steps: () => Iterable<StepModel>, state: () => string) {
    this.#inputs = inputs;
    this.#run = run;
    this.#steps = steps;
    this.#state = state;
  }

  /** Of the run as a whole: all steps that are over. */
  ofRun(): Scope {
    return { inputs: this.#inputs, run: this.#run, steps: views(this.#steps()) };
  }

  /** Of a step: those that it needs, directly or not, as far as they are over; in `finally` all of `steps`, too. */
  ofStep(step: StepModel): Scope {
    const reach = this.#reachOf(step);
    const over = reach.reduce((count, { phase }) => (phase === 'over' ? count + 1 : count), 0);
    const known = this.#bases.get(step);
    if (known?.over === over) return known.scope;
    const run = step.isFinally ? { ...this.#run, state: this.#state() } : this.#run;
    const scope = { inputs: this.#inputs, run, steps: views(reach) };
    this.#bases.set(step, { over, scope });
    return scope;
  }

  /** Of an attempt of an execution: the one that is there, or the one that begins now. */
  ofExecution(execution: Execution): Scope {
    const { step, index, attempt, hasAttempt } = execution;
    const base = { ...this.ofStep(step), step: { name: step.name, attempt: hasAttempt ? attempt : attempt + 1 } };
    if (index < 0) return base;
    const item = step.items?.[index];
    return item === undefined ? { ...base, index } : { ...base, index, item };
  }

  /** Of a step after a round: with the outputs of the round as its own. */
  afterRound(round: Execution): Scope {
    const base = this.ofExecution(round);
    const own = { state: 'succeeded', outputs: parsed(round.outputs), error: null };
    return { ...base, steps: { ...(base.steps as JsonObject), [round.step.name]: own } };
  }

  #reachOf(step: StepModel): readonly StepModel[] {
    let reach = this.#reach.get(step);
    if (reach === undefined) {
      const found = new Set<StepModel>();
      const visit = (of: StepModel) => {
        for (const need of of.needs) {
          if (found.has(need)) continue;
          found.add(need);
          visit(need);
        }
      };
      visit(step);
      if (step.isFinally) for (const other of this.#steps()) if (!other.isFinally) found.add(other);
      reach = [...found];
      this.#reach.set(step, reach);
    }
    return reach;
  }
}

/** The steps that are over, by name. Their outputs are read when they are asked for. */
function views(steps: Iterable<StepModel>): JsonObject {
  const views: Record<string, JsonValue> = {};
  for (const step of steps) {
    if (step.phase !== 'over') continue;
    views[step.name] = {
      state: step.outcome ?? '',
      error: step.failure === undefined ? null : errorView(step.failure),
      get outputs(): JsonObject {
        return step.outputs;
      },
    };
  }
  return views;
}

function errorView({ reason, message, exitCode }: Failure): JsonObject {
  return { reason, message, exitCode: exitCode ?? null };
}

function parsed(outputs: string): JsonObject {
  return outputs === '' ? {} : (JSON.parse(outputs) as JsonObject);
}
