import type { JsonValue } from '@cosi-ts/resource';
import type { Action, Definition, StepDefinition } from '../definition/definition.js';
import type { Expression, Scope } from '../expression/expression.js';
import type { Template } from '../expression/template.js';

type Evaluate = (scope: Scope) => JsonValue;

/** What tests write of a step; the rest is as when nothing is said. */
export type StepInit = Partial<Omit<StepDefinition, 'name' | 'needs' | 'retry'>> & {
  readonly needs?: readonly string[];
  readonly join?: 'all' | number;
  readonly cancelRest?: boolean;
  readonly retry?: Partial<StepDefinition['retry']>;
};

export type DefinitionInit = Partial<Omit<Definition, 'steps' | 'finally'>> & {
  readonly steps?: Readonly<Record<string, StepInit>>;
  readonly finally?: Readonly<Record<string, StepInit>>;
};

/** An expression that a function of the test evaluates. */
export function expression(evaluate: Evaluate, source = evaluate.toString()): Expression {
  return { source, offset: 0, references: [], evaluate } as unknown as Expression;
}

/** A template that is a value, or what a function of the test makes of the scope. */
export function template(value: JsonValue | Evaluate): Template {
  if (typeof value !== 'function') return { source: value, expressions: [], evaluate: () => value };
  return { source: value.toString(), expressions: [expression(value)], evaluate: value };
}

export function functionAction(name = 'work', input: Readonly<Record<string, JsonValue | Evaluate>> = {}): Action {
  const templates = new Map(Object.entries(input).map(([key, value]) => [key, template(value)]));
  return { kind: 'function', function: name, with: templates };
}

/** Nothing but an outcome. */
export const nothing: Action = { kind: 'none', outputs: new Map() };

export const sleepFor = (seconds: number): Action => ({ kind: 'sleep', duration: template(seconds) });

export const waitFor = (signal: string): Action => ({
  kind: 'wait',
  signal: template(signal),
  approval: undefined,
  otherwise: undefined,
});

export const nested = (workflow: string): Action => ({ kind: 'workflow', workflow, with: new Map() });

export function items(list: readonly JsonValue[] | Evaluate, parallel?: number, maxFailures = 0) {
  return { items: template(list as JsonValue | Evaluate), parallel, maxFailures };
}

export function definition(init: DefinitionInit): Definition {
  const { steps, finally: last, ...rest } = init;
  return {
    name: 'test',
    description: '',
    inputs: new Map(),
    outputs: new Map(),
    env: new Map(),
    concurrency: undefined,
    priority: 0,
    timeoutMs: undefined,
    ...rest,
    steps: stepsOf(steps),
    finally: stepsOf(last),
  };
}

function stepsOf(steps: Readonly<Record<string, StepInit>> = {}): ReadonlyMap<string, StepDefinition> {
  return new Map(Object.entries(steps).map(([name, step]) => [name, stepOf(name, step)]));
}

function stepOf(name: string, init: StepInit): StepDefinition {
  const { needs = [], join = 'all', cancelRest = false, retry, ...rest } = init;
  return {
    name,
    on: 'success',
    when: undefined,
    forEach: undefined,
    repeat: undefined,
    timeoutMs: undefined,
    deadlineMs: undefined,
    continueOnError: false,
    concurrency: undefined,
    priority: 0,
    runsOn: new Map(),
    artifacts: [],
    action: functionAction(),
    ...rest,
    needs: { steps: needs, join, cancelRest },
    retry: {
      limit: 0,
      backoff: { initialMs: 1000, factor: 2, maxMs: 60_000 },
      on: ['exit', 'error', 'timeout'],
      when: undefined,
      ...retry,
    },
  };
}
