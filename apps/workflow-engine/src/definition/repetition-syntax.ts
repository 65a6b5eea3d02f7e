import type { Template } from '../expression/template.js';
import type { ForEach, Repeat } from './definition.js';
import { object } from './syntax/collections.js';
import { count, pause } from './syntax/scalars.js';
import { either, mapped, type Syntax, scalar } from './syntax/syntax.js';
import { anyTemplate, condition } from './syntax/templates.js';

const defaultRounds = 1000;

const items: Syntax<Template> = either(
  'a list, or an expression that gives one',
  {
    list: anyTemplate,
    text: mapped(anyTemplate, (template, node, place) =>
      template.expressions.length > 0 || (node.kind === 'text' && node.text.text.includes('${{'))
        ? template
        : // biome-ignore lint/suspicious/noTemplateCurlyInString: authors write it
          place.problem(node.offset, 'this must be a list, or an expression that gives one, like ${{ inputs.names }}'),
    ),
    number: scalar('a list, or an expression that gives one', ['number'], {}, ({ written, offset }, place) =>
      place.problem(offset, `this must be a list: for ${written} executions write \${{ range(${written}) }}`),
    ),
  },
  { anyOf: [{ type: 'array' }, { type: 'string', pattern: '\\$\\{\\{' }] },
);

const forEachFields = object('a list, or a map with items', {
  items: {
    syntax: items,
    required: true,
    doc: 'The list, or an expression that gives it.',
    also: ['in', 'list', 'over'],
  },
  parallel: {
    syntax: count('a number from 1', 1),
    doc: 'How many at once. Default: as many as the engine takes.',
    also: ['maxParallel', 'parallelism', 'concurrency', 'limit'],
  },
  maxFailures: {
    syntax: count('a number from 0', 0),
    doc: 'How many may fail. After one more no other is begun, and the step fails.',
    default: 0,
  },
});

const plainForEach: Syntax<ForEach> = mapped(items, (of) => ({ items: of, parallel: undefined, maxFailures: 0 }));

export const forEach: Syntax<ForEach> = either(
  'a list, an expression that gives one, or a map with items',
  {
    list: plainForEach,
    text: plainForEach,
    number: plainForEach,
    map: mapped(forEachFields, ({ items: of, parallel, maxFailures = 0 }) =>
      of === undefined ? undefined : { items: of, parallel, maxFailures },
    ),
  },
  { anyOf: [...(items.schema.anyOf ?? []), forEachFields.schema] },
);

const repeatFields = object('a map with until', {
  until: {
    syntax: condition,
    required: true,
    doc: 'Looked at after each round, with the outputs of the round as those of the step.',
    also: ['condition', 'while'],
  },
  limit: {
    syntax: count('a number from 1', 1),
    doc: 'The step fails when so many rounds were not enough.',
    default: defaultRounds,
    also: ['max', 'maxRounds', 'times'],
  },
  delay: { syntax: pause, doc: 'The pause between two rounds.', default: '0s', also: ['interval', 'every', 'pause'] },
});

export const repeat: Syntax<Repeat> = mapped(repeatFields, ({ until, limit = defaultRounds, delay = 0 }) =>
  until === undefined ? undefined : { until, limit, delayMs: delay },
);
