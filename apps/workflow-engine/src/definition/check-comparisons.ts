import { type JsonValue, sameJson } from '@cosi-ts/resource';
import type { Comparison } from '../expression/comparisons.js';
import { suggestion } from '../expression/near-names.js';
import { errorReasons } from '../resources/states.js';
import type { InputDefinition } from './definition.js';
import { inputTypeOf } from './inputs.js';
import type { ExpressionUse, Findings } from './syntax/place.js';
import { orList } from './syntax/scalars.js';

type Inputs = ReadonlyMap<string, InputDefinition>;

/** What a step can have come to, and what a run, when somebody asks. */
const stepStates = ['succeeded', 'failed', 'skipped', 'cancelled'];
const runStates = ['succeeded', 'failed', 'cancelled'];

/** Reports comparisons that always come to the same, and conditions that are neither true nor false. */
export function checkComparisons(uses: readonly ExpressionUse[], inputs: Inputs | undefined, findings: Findings): void {
  for (const { expression, path } of uses) {
    for (const comparison of expression.comparisons) {
      const message = whyNeverEqual(comparison, inputs);
      if (message !== undefined) findings.report(comparison.offset, path, message);
    }
    const message = isCondition(path) ? whyNoCondition(expression.source, inputs) : undefined;
    if (message !== undefined) findings.report(expression.offset, path, message);
  }
}

function whyNeverEqual({ reference, value }: Comparison, inputs: Inputs | undefined): string | undefined {
  const { root, path } = reference;
  const name = [root, ...path].join('.');
  const input = root === 'inputs' && path.length === 1 ? inputs?.get(path[0] ?? '') : undefined;
  if (input !== undefined) return whyNeverInput(name, value, input);
  const words = wordsOf(root, path);
  if (words === undefined || value === null || words.some((word) => word === value)) return undefined;
  return `${name} is never ${JSON.stringify(value)}: it is ${orList(words)}${typeof value === 'string' ? suggestion(value, words) : ''}`;
}

function wordsOf(root: string, path: readonly string[]): readonly string[] | undefined {
  if (root === 'run' && path.join('.') === 'state') return runStates;
  if (root === 'error' && path.join('.') === 'reason') return errorReasons;
  if (root !== 'steps') return undefined;
  const [, ...fields] = path;
  if (fields.join('.') === 'state') return stepStates;
  return fields.join('.') === 'error.reason' ? errorReasons : undefined;
}

function whyNeverInput(name: string, value: JsonValue, { type, options }: InputDefinition): string | undefined {
  const other = inputTypeOf(value);
  // Nothing is null, and to make sure of that is no mistake.
  if (other === undefined) return undefined;
  if (other !== type) {
    const advice = type === 'boolean' ? `: write ${name}, or !${name}` : meant(value, type);
    return `${name} is of the type ${type}, and never equal to ${JSON.stringify(value)}${advice}`;
  }
  if (options.length === 0 || options.some((option) => sameJson(option, value))) return undefined;
  const texts = options.map((option) => JSON.stringify(option));
  const near =
    typeof value === 'string'
      ? suggestion(
          value,
          options.filter((option) => typeof option === 'string'),
        )
      : '';
  return `${name} is never ${JSON.stringify(value)}: it is ${orList(texts)}${near}`;
}

function meant(value: JsonValue, type: InputDefinition['type']): string {
  if (type === 'number' && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) {
    return `: write ${value.trim()}, without quotes`;
  }
  return type === 'string' ? `: write "${String(value)}"` : '';
}

function isCondition([, , key, part]: ExpressionUse['path']): boolean {
  return key === 'when' || (key === 'retry' && part === 'when') || (key === 'repeat' && part === 'until');
}

const emptyOf: Readonly<Record<InputDefinition['type'], (name: string) => string>> = {
  string: (name) => `${name} != ""`,
  number: (name) => `${name} > 0`,
  boolean: (name) => name,
  list: (name) => `size(${name}) > 0`,
  object: (name) => `size(${name}) > 0`,
};

/** Of a condition that is one input. */
function whyNoCondition(source: string, inputs: Inputs | undefined): string | undefined {
  const [, name = ''] = /^inputs\.(\w+)$/.exec(source) ?? [];
  const type = inputs?.get(name)?.type;
  if (type === undefined || type === 'boolean') return undefined;
  return `a condition must be true or false, and ${source} is of the type ${type}: write something like ${emptyOf[type](source)}`;
}
