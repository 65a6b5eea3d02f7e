import type { JsonValue } from '@cosi-ts/resource';
import type { Expression, Scope } from './expression.js';

/**
 * A value of a definition in which texts may hold expressions, as `${{ … }}`. A text that is one expression and nothing
 * else becomes the value of it, of whatever type; in others the values are put in as text, lists and objects as JSON.
 */
export interface Template {
  /** As it was written. */
  readonly source: JsonValue;
  readonly expressions: readonly Expression[];
  /** Throws an {@link ExpressionError}. */
  evaluate(scope: Scope): JsonValue;
}
