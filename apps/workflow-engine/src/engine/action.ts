import type { JsonValue } from '@cosi-ts/resource';
import type { Action, Definition, SecretReference, StepDefinition } from '../definition/definition.js';
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
 * What the executor is to do: the action with its templates evaluated, in the form of the definition, maps as objects.
 * Throws what an expression throws.
 */
export function evaluateAction(
  action: ExecutorAction,
  step: StepDefinition,
  definition: Definition,
  scope: Scope,
): JsonValue {
  switch (action.kind) {
    case 'run': {
      const { command, shell, secretEnv, workingFolder } = action;
      return {
        ...('script' in command
          ? { script: command.script.evaluate(scope), shell }
          : { args: command.args.map((arg) => arg.evaluate(scope)) }),
        env: { ...evaluated(definition.env, scope), ...evaluated(action.env, scope) },
        secretEnv: references(secretEnv),
        ...(workingFolder === undefined ? {} : { workingFolder: workingFolder.evaluate(scope) }),
        artifacts: step.artifacts,
      };
    }
    case 'http': {
      const { method, url, headers, secretHeaders, body, expect } = action;
      return {
        method,
        url: url.evaluate(scope),
        headers: evaluated(headers, scope),
        secretHeaders: references(secretHeaders),
        ...(body === undefined ? {} : { body: body.evaluate(scope) }),
        expect: expect.map(({ from, to }) => ({ from, to })),
      };
    }
    case 'function':
      return { function: action.function, with: evaluated(action.with, scope) };
    case 'other':
      return action.config.evaluate(scope);
  }
}

/** Each template of a map evaluated, as an object. */
export function evaluated(templates: ReadonlyMap<string, Template>, scope: Scope): JsonObject {
  return Object.fromEntries(Array.from(templates, ([name, template]) => [name, template.evaluate(scope)]));
}

function references(of: ReadonlyMap<string, SecretReference>): JsonObject {
  return Object.fromEntries(Array.from(of, ([name, { secret, key }]) => [name, { secret, key }]));
}
