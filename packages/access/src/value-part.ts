import { InvalidArgumentError } from '@cosi-ts/resource';
import type { Entry, Part } from './part.js';

type Path = readonly (string | number)[];

/** A part of a description that is made of objects and lists. Its errors name the path. */
export class ValuePart implements Part {
  readonly #value: unknown;
  readonly #path: Path;

  constructor(value: unknown, path: Path = []) {
    this.#value = value;
    this.#path = path;
  }

  entries(what: string): readonly Entry[] {
    const value = this.#value;
    // A Map has no properties, and would be an object that says nothing.
    if (!isPlain(value)) throw this.fault(`${what} must be an object, not ${kindOf(value)}`);
    return Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => {
        const path = [...this.#path, key];
        return { key, keyPart: new ValuePart(key, path), value: new ValuePart(each, path) };
      });
  }

  items(what: string): readonly Part[] {
    const value = this.#value;
    if (!Array.isArray(value)) throw this.fault(`${what} must be a list, not ${kindOf(value)}`);
    // Also what is left out in it is an item.
    return Array.from<unknown, Part>(value, (each, index) => new ValuePart(each, [...this.#path, index]));
  }

  text(what: string): string {
    if (typeof this.#value !== 'string') throw this.fault(`${what} must be a text, not ${kindOf(this.#value)}`);
    return this.#value;
  }

  fault(reason: string): Error {
    const where = this.#path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    const prefix = where === '' ? '' : `${where.replace(/^\./, '')}: `;
    return new InvalidArgumentError(prefix + reason, { path: this.#path });
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of another realm, the object that everything comes from is another one.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Map) return 'a Map';
  return typeof value === 'object' ? 'an object of a class' : `the ${typeof value} ${String(value)}`;
}
