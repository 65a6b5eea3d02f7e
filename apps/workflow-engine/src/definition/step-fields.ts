import { actionFields, companionFields } from './action-syntax.js';
import { stepConcurrency } from './concurrency-syntax.js';
import { needs } from './needs-syntax.js';
import { forEach, repeat } from './repetition-syntax.js';
import { retry } from './retry-syntax.js';
import type { Field, Fields, Values } from './syntax/collections.js';
import { boolean, duration, integer, plainText, prose, word } from './syntax/scalars.js';
import { either, located, type Syntax, scalar } from './syntax/syntax.js';
import { anyTemplate, condition } from './syntax/templates.js';

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

/** Every key of a step but those of executors that were plugged in. */
export const ownStepFields = { ...commonFields, ...actionFields, ...companionFields };
export type StepValues = Values<typeof ownStepFields>;

/** The keys of a step. @param executors names of executors that were plugged in */
export function stepFields(executors: readonly string[]): Fields {
  for (const name of executors) {
    if (Object.hasOwn(ownStepFields, name))
      throw new TypeError(`an executor cannot have the name ${name}: steps have a key of that name`);
  }
  const plugged = executors.map(
    (name) => [name, { syntax: anyTemplate, doc: `What the executor ${name} is to do.` }] as const,
  );
  return { ...ownStepFields, ...Object.fromEntries(plugged) };
}
