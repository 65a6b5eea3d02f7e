import { Problem } from '@cosi-ts/app-kit';
import type { JsonValue } from '@cosi-ts/resource';
import type { JsonObject } from '../json.js';

type Fields = Readonly<Record<string, JsonValue>>;

/** Reads the fields of a body, and says which one is wrong. */
export class BodyFields {
  readonly #fields: Fields;

  /** Throws a {@link Problem} for a field that is not among the known. */
  constructor(fields: Fields, known: readonly string[]) {
    this.#fields = fields;
    for (const name of Object.keys(fields)) {
      if (!known.includes(name)) throw wrong(name, `there is no such field; there are ${known.join(', ')}`);
    }
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined && this.#fields[name] !== null;
  }

  text(name: string): string | undefined {
    return this.#read(name, 'a text', (value): value is string => typeof value === 'string');
  }

  neededText(name: string, example: string): string {
    const text = this.text(name);
    if (text === undefined || text === '')
      throw wrong(name, `is missing, for instance {${JSON.stringify(name)}: ${example}}`);
    return text;
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, 'true or false', (value): value is boolean => typeof value === 'boolean');
  }

  integer(name: string): number | undefined {
    return this.#read(name, 'an integer', (value): value is number => Number.isSafeInteger(value));
  }

  object(name: string): JsonObject | undefined {
    return this.#read(
      name,
      'an object',
      (value): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value),
    );
  }

  value(name: string): JsonValue | undefined {
    return this.#fields[name];
  }

  #read<T extends JsonValue>(name: string, what: string, is: (value: JsonValue) => value is T): T | undefined {
    if (!this.has(name)) return undefined;
    const value = this.#fields[name] as JsonValue;
    if (!is(value)) throw wrong(name, `must be ${what}, not ${JSON.stringify(value)}`);
    return value;
  }
}

export function wrong(field: string, problem: string): Problem {
  return new Problem(400, 'invalid-argument', `${field}: ${problem}`, { field });
}
