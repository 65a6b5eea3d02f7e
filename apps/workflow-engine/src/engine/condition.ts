import type { Expression, Scope } from '../expression/expression.js';
import type { Failure } from './facts.js';

/** What a condition came to, or why it came to nothing. */
export type Truth =
  | { readonly value: boolean; readonly failure?: undefined }
  | { readonly value: false; readonly failure: Failure };

/** Evaluates a condition. What throws, or gives something else than true or false, fails for good. */
export function truth(condition: Expression, scope: Scope): Truth {
  try {
    const value = condition.evaluate(scope);
    if (typeof value === 'boolean') return { value };
    return { value: false, failure: rejection(`${condition.source} is ${JSON.stringify(value)}, not true or false`) };
  } catch (error) {
    return { value: false, failure: rejection(messageOf(error)) };
  }
}

/** A failure that no other attempt would change. */
export function rejection(message: string): Failure {
  return { reason: 'rejected', message };
}

/** Some messages quote a value, which can be of any length. */
const longest = 4000;

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, longest);
}
