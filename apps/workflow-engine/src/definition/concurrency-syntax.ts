import type { Template } from '../expression/template.js';
import type { Concurrency } from './definition.js';
import { object } from './syntax/collections.js';
import { count, word } from './syntax/scalars.js';
import { either, mapped, type Syntax } from './syntax/syntax.js';
import { textTemplate } from './syntax/templates.js';

const key: Syntax<Template> = textTemplate('a key');
const keyField = {
  syntax: key,
  required: true,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: authors write it
  doc: 'The key. Expressions in it make one key of many: `deploy-${{ inputs.target }}`.',
  also: ['group', 'name'],
} as const;
const limitField = {
  syntax: count('a number from 1', 1),
  doc: 'How many at once.',
  default: 1,
  also: ['max', 'slots'],
} as const;

const short: Syntax<Concurrency> = mapped(key, (of) => ({ key: of, limit: 1, policy: 'wait' }));

const runFields = object('a key, or a map with key, limit and policy', {
  key: keyField,
  limit: limitField,
  policy: {
    syntax: word(['wait', 'cancel-running', 'refuse']),
    doc: 'What a new run does when there is no room: it waits, cancels those before it, or fails at once.',
    default: 'wait',
    also: ['cancelInProgress', 'onConflict'],
  },
});

const stepFields = object('a key, or a map with key and limit', { key: keyField, limit: limitField });

/** Of a whole workflow. */
export const runConcurrency: Syntax<Concurrency> = either('a key, or a map with key, limit and policy', {
  text: short,
  map: mapped(runFields, ({ key: of, limit = 1, policy = 'wait' }) =>
    of === undefined ? undefined : { key: of, limit, policy },
  ),
});

/** Of a step, whose executions always wait. */
export const stepConcurrency: Syntax<Concurrency> = either('a key, or a map with key and limit', {
  text: short,
  map: mapped(stepFields, ({ key: of, limit = 1 }) =>
    of === undefined ? undefined : { key: of, limit, policy: 'wait' },
  ),
});
