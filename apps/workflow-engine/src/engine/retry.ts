import type { Retry } from '../definition/definition.js';
import type { Scope } from '../expression/expression.js';
import { truth } from './condition.js';
import type { Failure } from './facts.js';

/** The pause before the attempt after the one of this number, counted from 1, which failed. */
export function pauseMs({ initialMs, factor, maxMs }: Retry['backoff'], attempt: number): number {
  return Math.min(maxMs, initialMs * factor ** (attempt - 1));
}

/**
 * When an attempt is made again that failed; undefined: never.
 *
 * @param counted which attempt it was, of those that count, from 1
 * @param scope what the condition can speak of, beside `error`
 */
export function nextAttemptMs(
  retry: Retry,
  failure: Failure,
  counted: number,
  endedMs: number,
  scope: Scope,
): number | undefined {
  // Nothing is known to have gone wrong but the process: that costs no attempt.
  if (failure.reason === 'lost') return endedMs;
  if (counted > retry.limit || !retry.on.some((reason) => reason === failure.reason)) return undefined;
  if (retry.when !== undefined) {
    const { reason, message, exitCode } = failure;
    const error = { reason, message, exitCode: exitCode ?? null };
    if (!truth(retry.when, { ...scope, error }).value) return undefined;
  }
  return endedMs + pauseMs(retry.backoff, counted);
}
