import type { JsonValue } from '@cosi-ts/resource';
import type { Action, Definition, StepDefinition } from '../definition/definition.js';
import { functionAction } from '../executors/function/action.js';
import { httpAction } from '../executors/http/action.js';
import { runAction } from '../executors/run/action.js';
import type { Scope } from '../expression/expression.js';
import type { Template } from '../expression/template.js';
import type { JsonObject } from '../json.js';

/** An action that an executor does. The others are the engine's own. */
export type ExecutorAction = Extract<Action, { readonly kind: 'run' | 'http' | 'function' | 'other' }>;

export function isForExecutor(action: Action): action is ExecutorAction {
  return action.kind === 'run' || action.kind === 'http' || action.kind === 'function' || action.kind === 'other';
}

/** The name of the executor. */
export function executorOf(action: ExecutorAction): string {
  return action.kind === 'other' ? action.executor : action.kind;
}

/**
 * What the executor is to do: the action with its templates evaluated. Throws what an expression throws, and
 * `invalid-argument` for what can never be executed.
 */
export function evaluateAction(
  action: ExecutorAction,
  step: StepDefinition,
  definition: Definition,
  scope: Scope,
): JsonValue {
  switch (action.kind) {
    case 'run':
      return runAction(action, step, definition, scope);
    case 'http':
      return httpAction(action, scope);
    case 'function':
      return functionAction(action, scope);
    case 'other':
      return action.config.evaluate(scope);
  }
}

/** Each template of a map evaluated, as an object. */
export function evaluated(templates: ReadonlyMap<string, Template>, scope: Scope): JsonObject {
  return Object.fromEntries(Array.from(templates, ([name, template]) => [name, template.evaluate(scope)]));
}
