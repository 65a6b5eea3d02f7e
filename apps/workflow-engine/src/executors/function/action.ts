import type { JsonValue } from '@cosi-ts/resource';
import type { FunctionAction } from '../../definition/definition.js';
import type { Scope } from '../../expression/expression.js';
import type { JsonObject } from '../../json.js';
import { ActionReader } from '../action-reader.js';
import { templateValues } from '../template-text.js';

/** What a `function` step does, as it is kept in the StepRun. */
export type FunctionActionJson = {
  readonly function: string;
  readonly with: { readonly [name: string]: JsonValue };
};

/** Throws an `ExpressionError`. */
export function functionAction(action: FunctionAction, scope: Scope): FunctionActionJson {
  return { function: action.function, with: templateValues(action.with, scope) };
}

export interface FunctionCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Throws `invalid-argument`. */
export function readFunctionAction(action: JsonValue): FunctionCall {
  const reader = new ActionReader('function', action);
  return { name: reader.text('function'), input: reader.object('with') };
}
