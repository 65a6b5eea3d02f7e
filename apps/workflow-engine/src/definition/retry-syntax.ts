import type { Retry } from './definition.js';
import { object, oneOrMore } from './syntax/collections.js';
import { count, orList, pause, word } from './syntax/scalars.js';
import { either, located, mapped, type Syntax, scalar } from './syntax/syntax.js';
import { condition } from './syntax/templates.js';

const defaultBackoff: Retry['backoff'] = Object.freeze({ initialMs: 1000, factor: 2, maxMs: 60_000 });

const factor: Syntax<number> = scalar('a number from 1', ['number'], { type: 'number', minimum: 1 }, (node, place) => {
  const value = Number(node.value);
  return value >= 1 && Number.isFinite(value)
    ? value
    : place.problem(node.offset, `this must be a number from 1, not ${node.written}`);
});

const backoffFields = object('a pause, or a map with initial, factor and max', {
  initial: { syntax: pause, doc: 'The pause before the second attempt.', default: '1s' },
  factor: { syntax: factor, doc: 'So many times longer is each pause than the one before.', default: 2 },
  max: { syntax: located(pause), doc: 'The longest pause. Default: `1m`, or `initial` where that is longer.' },
});

const backoff: Syntax<Retry['backoff']> = either('a pause, or a map with initial, factor and max', {
  text: mapped(pause, (ms) => ({ initialMs: ms, factor: 1, maxMs: ms })),
  number: mapped(pause, (ms) => ({ initialMs: ms, factor: 1, maxMs: ms })),
  map: mapped(backoffFields, ({ initial, factor: growth, max }) => {
    const initialMs = initial ?? defaultBackoff.initialMs;
    if (max !== undefined && max.value < initialMs)
      max.place.problem(max.offset, 'the longest pause is shorter than the first one');
    return {
      initialMs,
      factor: growth ?? defaultBackoff.factor,
      maxMs: max?.value ?? Math.max(initialMs, defaultBackoff.maxMs),
    };
  }),
});

const failures = ['exit', 'error', 'timeout'] as const;

const retryFields = object('a number, or a map with limit', {
  limit: {
    syntax: count('a number from 0', 0),
    required: true,
    doc: 'How many attempts after the first.',
    also: ['attempts', 'max', 'times', 'count'],
  },
  backoff: {
    syntax: backoff,
    doc: 'The pause between two attempts: always the same (`10s`), or one that grows.',
    also: ['delay', 'pause'],
  },
  on: { syntax: oneOrMore(orList(failures), word(failures)), doc: 'After which failures. Default: all of them.' },
  when: {
    syntax: condition,
    doc: 'Over `error` (its `reason`, `message` and `exitCode`): whether to try again.',
    also: ['if'],
  },
});

/** Before a step fails for good: nothing more. */
export const defaultRetry: Retry = { limit: 0, backoff: defaultBackoff, on: failures, when: undefined };

export const retry: Syntax<Retry> = either('a number, or a map with limit', {
  number: mapped(count('a number from 0', 0), (limit) => ({ ...defaultRetry, limit })),
  map: mapped(retryFields, ({ limit = 0, backoff: pauses = defaultBackoff, on = failures, when }) => ({
    limit,
    backoff: pauses,
    on,
    when,
  })),
});
