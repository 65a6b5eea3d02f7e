import type { JsonValue } from '@cosi-ts/resource';

/** What an expression can speak of, by name: `inputs`, `steps`, `item`, `index`, `run`, `error`. */
export type Scope = { readonly [name: string]: JsonValue };

/** An expression in CEL, parsed. */
export interface Expression {
  /** As it was written. */
  readonly source: string;
  /** Where it is in the text of the definition, in characters. */
  readonly offset: number;
  /** Throws an {@link ExpressionError}. The same scope gives the same value, always. */
  evaluate(scope: Scope): JsonValue;
}
