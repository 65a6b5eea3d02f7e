import { InvalidArgumentError, type JsonValue } from '@cosi-ts/resource';
import type { SecretReference } from '../definition/definition.js';
import type { JsonObject } from '../json.js';

/**
 * Reads the JSON of an action. Everything that is not as it should be is `invalid-argument` with its path: a worker may
 * be of another version than the engine that made the action. Fields that are not known are ignored.
 */
export class ActionReader {
  readonly #fields: JsonObject;
  readonly #kind: string;

  constructor(kind: string, action: JsonValue) {
    this.#kind = kind;
    if (!isObject(action)) throw this.#wrong([], 'must be an object');
    this.#fields = action;
  }

  text(field: string): string {
    return this.#text(this.#fields[field], [field]);
  }

  optionalText(field: string): string | undefined {
    return this.#fields[field] === undefined ? undefined : this.text(field);
  }

  optionalValue(field: string): JsonValue | undefined {
    return this.#fields[field];
  }

  object(field: string): JsonObject {
    const value = this.#fields[field] ?? {};
    if (!isObject(value)) throw this.#wrong([field], 'must be an object');
    return value;
  }

  texts(field: string): string[] {
    return this.list(field, (value, path) => this.#text(value, path));
  }

  list<T>(field: string, read: (value: JsonValue, path: (string | number)[]) => T): T[] {
    const value = this.#fields[field] ?? [];
    if (!Array.isArray(value)) throw this.#wrong([field], 'must be a list');
    return value.map((item, i) => read(item as JsonValue, [field, i]));
  }

  textMap(field: string): Record<string, string> {
    return this.map(field, (value, path) => this.#text(value, path));
  }

  secretMap(field: string): Record<string, SecretReference> {
    return this.map(field, (value, path) => {
      if (!isObject(value)) throw this.#wrong(path, 'must be an object');
      return { secret: this.#text(value.secret, [...path, 'secret']), key: this.#text(value.key, [...path, 'key']) };
    });
  }

  map<T>(field: string, read: (value: JsonValue, path: (string | number)[]) => T): Record<string, T> {
    return Object.fromEntries(
      Object.entries(this.object(field)).map(([name, value]) => [name, read(value, [field, name])]),
    );
  }

  wrong(path: readonly (string | number)[], problem: string): InvalidArgumentError {
    return this.#wrong(path, problem);
  }

  #text(value: JsonValue | undefined, path: readonly (string | number)[]): string {
    if (typeof value !== 'string') throw this.#wrong(path, 'must be a text');
    return value;
  }

  #wrong(path: readonly (string | number)[], problem: string): InvalidArgumentError {
    const where = path.length === 0 ? '' : ` ${path.join('.')}`;
    return new InvalidArgumentError(`the action of a ${this.#kind} step:${where} ${problem}`, { path });
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
