import { type JsonValue, sameJson } from '@cosi-ts/resource';
import { suggestion } from '../expression/near-names.js';
import type { JsonObject } from '../json.js';
import type { Definition, InputDefinition } from './definition.js';

export const inputTypes = ['string', 'number', 'boolean', 'list', 'object'] as const;

/** The type that an input has with this value; undefined of null, which is no value of an input. */
export function inputTypeOf(value: JsonValue): InputDefinition['type'] | undefined {
  if (Array.isArray(value)) return 'list';
  if (value === null) return undefined;
  return typeof value as InputDefinition['type'];
}

export function isOfType(value: JsonValue, type: InputDefinition['type']): boolean {
  return inputTypeOf(value) === type;
}

/** What is wrong with one input of a run. */
export interface InputProblem {
  readonly input: string;
  readonly message: string;
}

export type ResolvedInputs =
  | { readonly inputs: JsonObject; readonly problems?: undefined }
  | { readonly problems: readonly InputProblem[]; readonly inputs?: undefined };

/** What is wrong with inputs, in one line that names each of them. */
export function inputProblemsText(problems: readonly InputProblem[]): string {
  return problems.map(({ input, message }) => `${input}: ${message}`).join('; ');
}

/** The inputs of a run: those that were given, and the defaults of the others. Tells every problem there is. */
export function resolveInputs(definition: Pick<Definition, 'inputs'>, given: JsonObject): ResolvedInputs {
  const problems: InputProblem[] = [];
  const entries: (readonly [string, JsonValue])[] = [];
  for (const [name, input] of definition.inputs) {
    // A null is as good as nothing: forms and command lines send it for fields that were left empty.
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? input.default;
    const message = value === undefined ? missingInput(name, input) : inputMistake(value, input);
    if (message !== undefined) problems.push({ input: name, message });
    else if (value !== undefined) entries.push([name, value]);
  }
  const names = [...definition.inputs.keys()];
  for (const name of Object.keys(given)) {
    if (definition.inputs.has(name)) continue;
    const known = names.length === 0 ? '; the workflow takes none' : `; there are ${names.join(', ')}`;
    problems.push({ input: name, message: `there is no input ${name}${suggestion(name, names) || known}` });
  }
  return problems.length > 0 ? { problems } : { inputs: Object.fromEntries(entries) };
}

/** What is told of an input that is not given. */
export function missingInput(name: string, { type, description }: InputDefinition): string {
  return `the input ${name} must be given, as ${typeText(type)}${description === '' ? '' : `: ${description}`}`;
}

/** What is wrong with a value of an input; undefined: nothing. */
export function inputMistake(value: JsonValue, { type, options }: InputDefinition): string | undefined {
  if (!isOfType(value, type)) return `this must be ${typeText(type)}, not ${JSON.stringify(value)}`;
  if (options.length === 0 || options.some((option) => sameJson(option, value))) return undefined;
  const near =
    typeof value === 'string'
      ? suggestion(
          value,
          options.filter((option) => typeof option === 'string'),
        )
      : '';
  return `this must be one of ${options.map((option) => JSON.stringify(option)).join(', ')}, not ${JSON.stringify(value)}${near}`;
}

function typeText(type: InputDefinition['type']): string {
  return type === 'object' ? 'an object' : `a ${type}`;
}
