import type { JsonValue } from '@cosi-ts/resource';
import type { InputDefinition } from './definition.js';
import { inputTypeOf, inputTypes, isOfType } from './inputs.js';
import { hintsOfInputs } from './misplaced-keys.js';
import { inputName } from './names.js';
import { dictionary, hasKey, list, object } from './syntax/collections.js';
import { prose, word } from './syntax/scalars.js';
import { either, type Located, located, mapped, type Syntax } from './syntax/syntax.js';
import { plainValue } from './syntax/values.js';

const type: Syntax<InputDefinition['type']> = word(inputTypes, {
  text: 'string',
  str: 'string',
  integer: 'number',
  int: 'number',
  float: 'number',
  bool: 'boolean',
  array: 'list',
  map: 'object',
  dict: 'object',
  json: 'object',
  choice: 'string',
  enum: 'string',
});

const fields = object(
  'an input',
  {
    type: {
      syntax: type,
      doc: 'What the input is. Default: what its default, or the first of its options is, or else a text (`string`).',
    },
    description: { syntax: prose, doc: 'What it is for.' },
    default: {
      syntax: located(plainValue('a value')),
      doc: 'What it is when it is not given. Without a default it must be given.',
    },
    options: {
      syntax: list('a list of what the input may be', located(plainValue('a value')), 1),
      doc: 'The values that it may have. Default: any of its type.',
      also: ['enum', 'values', 'choices'],
    },
  },
  { noun: 'an input', hints: hintsOfInputs },
);

const short: Syntax<InputDefinition> = mapped(type, (of) => ({
  type: of,
  description: '',
  default: undefined,
  options: [],
}));

const full: Syntax<InputDefinition> = mapped(fields, (values, node) => {
  const { description = '', options = [] } = values;
  const given = [...(values.default === undefined ? [] : [values.default]), ...options];
  const of = values.type ?? (hasKey(node, 'type') ? undefined : typeOf(given[0]?.value)) ?? 'string';
  const ofType = (value: Located<JsonValue>): boolean => {
    if (isOfType(value.value, of)) return true;
    value.place.problem(
      value.offset,
      `this must be of the type ${of}, as the input is, not ${inputTypeOf(value.value) ?? 'null'}`,
    );
    return false;
  };
  // Of a type that could not be read nothing can be said.
  const checked = hasKey(node, 'type') && values.type === undefined ? [] : given.filter(ofType);
  const allowed = options.map(({ value }) => value);
  const initial = values.default;
  if (initial !== undefined && checked.includes(initial) && options.length > 0 && !includes(allowed, initial.value)) {
    const choice = allowed.map((value) => JSON.stringify(value)).join(', ');
    initial.place.problem(
      initial.offset,
      `the default must be one of the options ${choice}, not ${JSON.stringify(initial.value)}`,
    );
  }
  return { type: of, description, default: initial?.value, options: allowed };
});

function typeOf(value: JsonValue | undefined): InputDefinition['type'] | undefined {
  return value === undefined ? undefined : inputTypeOf(value);
}

function includes(values: readonly JsonValue[], value: JsonValue): boolean {
  return values.some((other) => JSON.stringify(other) === JSON.stringify(value));
}

export const inputsSyntax: Syntax<ReadonlyMap<string, InputDefinition>> = dictionary(
  'a map from names to inputs',
  inputName,
  either('a type, or a map with type, description, default and options', { text: short, map: full }),
);
