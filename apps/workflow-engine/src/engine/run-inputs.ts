import type { JsonValue } from '@cosi-ts/resource';
import { InvalidArgumentError, sameJson } from '@cosi-ts/resource';
import type { Definition, InputDefinition } from '../definition/definition.js';
import type { JsonObject } from '../json.js';

/**
 * The inputs of a run: what was given, and the defaults of what was not. Throws `invalid-argument` that names each
 * input that is missing, not known, or not what it is to be.
 */
export function runInputs(definition: Definition, given: JsonObject): JsonObject {
  const inputs: Record<string, JsonValue> = {};
  const problems: string[] = [];
  for (const [name, input] of definition.inputs) {
    const value = Object.hasOwn(given, name) ? given[name] : input.default;
    if (value === undefined) problems.push(`the input ${name} is missing`);
    else {
      const problem = problemOf(input, value);
      if (problem !== undefined) problems.push(`the input ${name} ${problem}`);
      inputs[name] = value;
    }
  }
  for (const name of Object.keys(given)) {
    if (!definition.inputs.has(name)) problems.push(`the workflow has no input ${name}`);
  }
  if (problems.length > 0) throw new InvalidArgumentError(problems.join('; '));
  return Object.freeze(inputs);
}

function problemOf({ type, options }: InputDefinition, value: JsonValue): string | undefined {
  const actual = Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
  if (actual !== type) return `must be a ${type}, not ${JSON.stringify(value)}`;
  if (options.length > 0 && !options.some((option) => sameJson(option, value))) {
    return `must be one of ${options.map((option) => JSON.stringify(option)).join(', ')}, not ${JSON.stringify(value)}`;
  }
  return undefined;
}
