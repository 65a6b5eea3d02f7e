import { describe, expect, it } from 'vitest';
import type { Retry } from '../definition/definition.js';
import { expression } from '../testing/definitions.js';
import { nextAttemptMs, pauseMs } from './retry.js';

const backoff = { initialMs: 100, factor: 3, maxMs: 1000 };
const retry: Retry = { limit: 2, backoff, on: ['exit', 'error', 'timeout'], when: undefined };
const failure = (reason: 'exit' | 'lost' | 'rejected' | 'cancelled' | 'timeout') => ({ reason, message: '' });

describe('retries', () => {
  it.each([
    [1, 100],
    [2, 300],
    [3, 900],
    [4, 1000],
    [400, 1000],
  ])('E14: after attempt %d there is a pause of %d ms', (attempt, pause) => {
    expect(pauseMs(backoff, attempt)).toBe(pause);
  });

  it.each([
    ['exit', 1, 5100],
    ['exit', 2, 5300],
    ['exit', 3, undefined],
    ['timeout', 1, 5100],
    ['rejected', 1, undefined],
    ['cancelled', 1, undefined],
    ['lost', 1, 5000],
    ['lost', 99, 5000],
  ] as const)('E14: after a failure with %s of attempt %d the next is due at %s', (reason, counted, dueMs) => {
    expect(nextAttemptMs(retry, failure(reason), counted, 5000, {})).toBe(dueMs);
  });

  it('E14: its condition is asked, and one that cannot be evaluated does not hold', () => {
    const only75 = { ...retry, when: expression(({ error }) => (error as { exitCode: number }).exitCode === 75) };
    expect(nextAttemptMs(only75, { ...failure('exit'), exitCode: 75 }, 1, 0, {})).toBe(100);
    expect(nextAttemptMs(only75, { ...failure('exit'), exitCode: 1 }, 1, 0, {})).toBeUndefined();
    const broken = { ...retry, when: expression(({ inputs }) => (inputs as never as { a: { b: boolean } }).a.b) };
    expect(nextAttemptMs(broken, failure('exit'), 1, 0, {})).toBeUndefined();
  });
});
