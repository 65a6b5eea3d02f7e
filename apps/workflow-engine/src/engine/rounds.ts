import type { Repeat } from '../definition/definition.js';
import type { Scope } from '../expression/expression.js';
import { truth } from './condition.js';
import type { Failure } from './facts.js';

/** What comes after a round that succeeded. */
export type AfterRound =
  | { readonly next: 'none' }
  | { readonly next: 'round'; readonly dueMs: number }
  | { readonly next: 'failure'; readonly failure: Failure };

/** @param scope with the outputs of the round as those of the step */
export function afterRound(repeat: Repeat, round: number, scope: Scope, endedMs: number): AfterRound {
  const { value, failure } = truth(repeat.until, scope);
  if (failure !== undefined) return { next: 'failure', failure };
  if (value) return { next: 'none' };
  if (round + 1 < repeat.limit) return { next: 'round', dueMs: endedMs + repeat.delayMs };
  const message = `after ${repeat.limit} rounds, ${repeat.until.source} is still not so`;
  return { next: 'failure', failure: { reason: 'rejected', message } };
}
