import type { Template } from '../expression/template.js';
import { actionOf, checkCompanions, otherActionOf } from './action-reading.js';
import { actionFields, companionFields, type OwnActionKey } from './action-syntax.js';
import { stepConcurrency } from './concurrency-syntax.js';
import type { Action, ForEach, Needs, Repeat, Retry, StepDefinition } from './definition.js';
import type { SourceNode } from './source-node.js';
import { type Field, type Fields, hasKey, keyOffset, object, oneOrMore, type Values } from './syntax/collections.js';
import type { JsonSchema } from './syntax/json-schema.js';
import type { Place } from './syntax/place.js';
import { boolean, count, duration, integer, orList, pause, plainText, prose, word } from './syntax/scalars.js';
import { either, type Located, located, mapped, named, type Syntax, scalar } from './syntax/syntax.js';
import { anyTemplate, condition } from './syntax/templates.js';

/** A step as it was read, with what can only be checked against other steps. */
export interface ReadStep {
  readonly definition: StepDefinition;
  /** Undefined: what it needs could not be read. */
  readonly needs: readonly Located<string>[] | undefined;
}

/** Before a step fails for good. */
export const defaultBackoff: Retry['backoff'] = Object.freeze({ initialMs: 1000, factor: 2, maxMs: 60_000 });
export const defaultRounds = 1000;

const needName = located(plainText('the name of a step'));

const needsFields = object('names of steps, or a map with steps and join', {
  steps: { syntax: oneOrMore('names of steps', needName), required: true, doc: 'The steps that are needed.' },
  join: {
    syntax: located(
      either<'all' | 'any' | number>('all, any or a number', {
        text: word(['all', 'any']),
        number: count('a number from 1', 1),
      }),
    ),
    doc: 'How many of them must succeed: `all`, `any` (one), or so many.',
    default: 'all',
  },
  cancelRest: {
    syntax: located(boolean),
    doc: 'Whether those that are still executed are cancelled once enough have succeeded.',
    default: false,
  },
});

interface ReadNeeds {
  readonly names: readonly Located<string>[];
  readonly join: Needs['join'];
  readonly cancelRest: boolean;
}

const manyNeeds: Syntax<ReadNeeds> = mapped(oneOrMore('names of steps', needName), (names) => ({
  names,
  join: 'all',
  cancelRest: false,
}));

const joinedNeeds: Syntax<ReadNeeds> = mapped(needsFields, ({ steps, join, cancelRest }) => {
  if (steps === undefined) return undefined;
  const least = join?.value === 'any' ? 1 : (join?.value ?? 'all');
  if (join !== undefined && least !== 'all' && least > steps.length) {
    join.place.problem(
      join.offset,
      `${least} of ${steps.length} steps can never succeed: write ${steps.length === 0 ? 'all' : `${steps.length} at most`}`,
    );
  }
  if (cancelRest?.value === true && least === 'all') {
    cancelRest.place.problem(
      cancelRest.offset,
      'nothing is left to be cancelled when all steps must succeed: write join: any, or a number',
    );
  }
  return { names: steps, join: least, cancelRest: cancelRest?.value ?? false };
});

const needs: Syntax<ReadNeeds> = either('names of steps, or a map with steps and join', {
  text: manyNeeds,
  list: manyNeeds,
  map: joinedNeeds,
});

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

const forEach: Syntax<ForEach> = either(
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

const repeat: Syntax<Repeat> = mapped(repeatFields, ({ until, limit = defaultRounds, delay = 0 }) =>
  until === undefined ? undefined : { until, limit, delayMs: delay },
);

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

const defaultRetry: Retry = { limit: 0, backoff: defaultBackoff, on: failures, when: undefined };

const retry: Syntax<Retry> = either('a number, or a map with limit', {
  number: mapped(count('a number from 0', 0), (limit) => ({ ...defaultRetry, limit })),
  map: mapped(retryFields, ({ limit = 0, backoff: pauses = defaultBackoff, on = failures, when }) => ({
    limit,
    backoff: pauses,
    on,
    when,
  })),
});

const labels: Syntax<ReadonlyMap<string, string>> = scalar(
  'a map of labels, like os: linux',
  ['map'],
  { type: 'object', minProperties: 1, additionalProperties: { type: ['string', 'number', 'boolean'] } },
  ({ entries, offset }, place) => {
    if (entries.length === 0) return place.problem(offset, 'this must be a map of labels, and not empty');
    return new Map(
      entries.flatMap(({ key, value }) => {
        const label = labelText.read(value, place.at(key));
        return label === undefined ? [] : [[key, label] as const];
      }),
    );
  },
);

const labelText: Syntax<string> = either('a text', {
  text: plainText('a text'),
  number: scalar('a text', ['number'], { type: 'number' }, ({ written }) => written),
  boolean: scalar('a text', ['boolean'], { type: 'boolean' }, ({ written }) => written),
});

/** The keys that all steps can have. */
const commonFields = {
  description: { syntax: prose, doc: 'What the step is for.' },
  needs: {
    syntax: needs,
    doc: 'The steps that must be over before: a name, a list of names, or a map with `steps`, `join` and `cancelRest`.',
    also: ['dependsOn', 'depends', 'dependencies', 'requires', 'after'],
  },
  on: {
    syntax: located(word(['success', 'failure', 'always'])),
    doc: 'By which outcome of what it needs the step is executed rather than skipped.',
    default: 'success',
  },
  when: {
    syntax: condition,
    doc: 'The step is skipped where this is false. Looked at when all is over that it needs.',
    also: ['if', 'condition', 'onlyIf'],
  },
  forEach: {
    syntax: forEach,
    doc: 'One execution for each item of a list, which is `item` in expressions, with its place as `index`.',
    also: ['withItems', 'withParam', 'matrix', 'strategy', 'loop', 'each', 'map'],
  },
  repeat: {
    syntax: repeat,
    doc: 'Executions one after the other, until a condition holds.',
    also: ['until', 'while', 'poll'],
  },
  retry: {
    syntax: retry,
    doc: 'What becomes of attempts that failed: how many more there are, or a map.',
    default: 0,
    also: ['retries', 'retryStrategy', 'attempts'],
  },
  timeout: {
    syntax: duration,
    doc: 'How long one attempt may take; of `wait` and `approve`, how long they wait.',
    also: ['timeoutMinutes', 'timeoutSeconds'],
  },
  deadline: {
    syntax: duration,
    doc: 'How long all attempts of one execution may take together, with the pauses between them.',
    also: ['activeDeadlineSeconds', 'maxDuration'],
  },
  continueOnError: {
    syntax: boolean,
    doc: 'Whether a failure counts as a success for what needs the step, and for the run.',
    default: false,
    also: ['allowFailure', 'ignoreErrors'],
  },
  concurrency: {
    syntax: stepConcurrency,
    doc: 'Executions with the same key wait for each other: the key, or a map with `key` and `limit`.',
    also: ['mutex', 'lock', 'semaphore'],
  },
  priority: {
    syntax: integer,
    doc: 'Of ready executions, those with the higher priority are started first.',
    default: 0,
  },
  runsOn: {
    syntax: labels,
    doc: 'Labels that a worker must serve to execute the step. Without them the engine executes it itself.',
    also: ['labels', 'nodeSelector', 'agent', 'pool'],
  },
} as const satisfies Readonly<Record<string, Field<unknown>>>;

const ownFields = { ...commonFields, ...actionFields, ...companionFields };
type StepValues = Values<typeof ownFields>;

/** The keys of a step. @param executors names of executors that were plugged in */
export function stepFields(executors: readonly string[]): Fields {
  for (const name of executors) {
    if (Object.hasOwn(ownFields, name))
      throw new TypeError(`an executor cannot have the name ${name}: steps have a key of that name`);
  }
  const plugged = executors.map(
    (name) => [name, { syntax: anyTemplate, doc: `What the executor ${name} is to do.` }] as const,
  );
  return { ...ownFields, ...Object.fromEntries(plugged) };
}

export function stepSyntax(executors: readonly string[]): Syntax<ReadStep> {
  const fields = object(
    'a map that says what the step does',
    stepFields(executors),
    'a step, nor an executor that is plugged in',
  );
  const actions = [...Object.keys(actionFields), ...executors];
  const syntax = mapped(fields, (values, node, place) =>
    readStep(values as StepValues & Values<Fields>, node, place, actions),
  );
  return named('step', { ...syntax, schema: { ...fields.schema, ...actionRules(actions) } });
}

/** Exactly one action, or none; and no companion of an action that is not there. */
function actionRules(actions: readonly string[]): JsonSchema {
  const has = (key: string): JsonSchema => ({ required: [key] });
  const none: JsonSchema = { not: { anyOf: actions.map(has) }, anyOf: [has('outputs'), has('needs')] };
  return {
    oneOf: [...actions.map(has), none],
    dependencies: {
      shell: ['run'],
      env: ['run'],
      secretEnv: ['run'],
      workingFolder: ['run'],
      with: { anyOf: [has('function'), has('workflow')] },
      outputs: { not: { anyOf: actions.map(has) } },
    },
  };
}

function readStep(
  values: StepValues & Values<Fields>,
  node: SourceNode,
  place: Place,
  actions: readonly string[],
): ReadStep | undefined {
  const present = actions.filter((key) => hasKey(node, key));
  const [kind, second] = present;
  if (second !== undefined) {
    place
      .at(second)
      .problem(
        keyOffset(node, second) ?? node.offset,
        `a step does one thing, and this one has ${orList(present).replace(' or ', ' and ')}: make two steps of it`,
      );
  }
  // A key that is not known may be an action that was meant.
  if (kind === undefined && !hasKey(node, 'outputs') && !hasKey(node, 'needs') && isKnown(node, actions)) {
    place.problem(
      node.offset,
      `the step does nothing: give it one of ${orList(actions)}, or outputs, or needs to make it a point where others meet`,
    );
  }
  if (second === undefined) checkCompanions(kind, values, node, place);
  checkTiming(values, node, place);
  const name = String(place.path.at(-1));
  const action = readAction(kind, values, name);
  const { needs: needed, forEach: each, repeat: rounds } = values;
  if (hasKey(node, 'forEach') && hasKey(node, 'repeat')) {
    place
      .at('repeat')
      .problem(
        keyOffset(node, 'repeat') ?? node.offset,
        'a step has either forEach or repeat: make a workflow of what is repeated, and run that for each item',
      );
  }
  if (action === undefined) return undefined;
  return {
    needs: hasKey(node, 'needs') ? needed?.names : [],
    definition: {
      name,
      needs: {
        steps: (needed?.names ?? []).map(({ value }) => value),
        join: needed?.join ?? 'all',
        cancelRest: needed?.cancelRest ?? false,
      },
      on: values.on?.value ?? 'success',
      when: values.when,
      forEach: each,
      repeat: rounds,
      retry: values.retry ?? defaultRetry,
      timeoutMs: values.timeout,
      deadlineMs: values.deadline,
      continueOnError: values.continueOnError ?? false,
      concurrency: values.concurrency,
      priority: values.priority ?? 0,
      runsOn: values.runsOn ?? new Map(),
      artifacts: values.artifacts ?? [],
      action,
    },
  };
}

function checkTiming(values: StepValues, node: SourceNode, place: Place): void {
  const { on } = values;
  if (on?.value === 'failure' && (!hasKey(node, 'needs') || values.needs?.names.length === 0)) {
    const advice =
      place.path[0] === 'finally'
        ? "take it away, and write when: run.state == 'failed'"
        : 'write which steps it needs, or take it away';
    on.place.problem(on.offset, `a step that needs nothing is never executed on failure: ${advice}`);
  }
}

function readAction(kind: string | undefined, values: StepValues & Values<Fields>, name: string): Action | undefined {
  return kind === undefined || Object.hasOwn(actionFields, kind)
    ? actionOf(kind as OwnActionKey | undefined, values, name)
    : otherActionOf(kind, values[kind] as Template | undefined);
}

function isKnown(node: SourceNode, actions: readonly string[]): boolean {
  if (node.kind !== 'map') return false;
  return node.entries.every(({ key }) => Object.hasOwn(ownFields, key) || actions.includes(key));
}
