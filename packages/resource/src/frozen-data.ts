import { invalidSpec } from './spec-path.js';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Values that were made here: copying them again would make the same. */
const frozen = new WeakSet<object>();

/**
 * How deep the values of a spec may lie. What is written must be read back, which takes several calls for each level:
 * beyond some 900 levels the stack of a host that begins with it does not hold them.
 */
export const maxJsonDepth = 500;

/**
 * A deeply frozen copy of JSON-like data: null, booleans, finite numbers, strings, arrays and plain objects.
 * Keys whose value is undefined are left out, as JSON does. Anything else is `invalid-argument` with its path.
 */
export function frozenJson(value: unknown): JsonValue {
  return new Copier(true).copy(value);
}

/** A copy of the same data that can be changed. */
export function mutableJson<T>(value: T): T {
  return new Copier(false).copy(value) as T;
}

class Copier {
  readonly #freeze: boolean;
  /** Where the copier is; its length is the depth. */
  readonly #path: (string | number)[] = [];

  constructor(freeze: boolean) {
    this.#freeze = freeze;
  }

  copy(value: unknown): JsonValue {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return value;
      throw invalidSpec(this.#path, `${value} has no JSON form`);
    }
    if (typeof value !== 'object') throw invalidSpec(this.#path, `a value of type ${typeof value} has no JSON form`);
    if (this.#freeze && frozen.has(value)) return value as JsonValue;
    if (this.#path.length >= maxJsonDepth) {
      throw invalidSpec(this.#path.slice(0, 4), `it is nested more than ${maxJsonDepth} levels deep, or in a circle`);
    }
    const copy = Array.isArray(value) ? this.#copyArray(value) : this.#copyObject(value);
    if (this.#freeze) {
      Object.freeze(copy);
      frozen.add(copy);
    }
    return copy;
  }

  #copyArray(value: readonly unknown[]): JsonValue[] {
    return Array.from(value, (item, i) => this.#copyPart(i, item));
  }

  #copyObject(value: object): { [key: string]: JsonValue } {
    if (!isPlain(value)) {
      const what = value.constructor?.name || 'class instance';
      throw invalidSpec(this.#path, `a ${what} has no JSON form; use a protobuf message or a codec`);
    }
    const copy: { [key: string]: JsonValue } = {};
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) setOwn(copy, key, this.#copyPart(key, item));
    }
    return copy;
  }

  #copyPart(key: string | number, item: unknown): JsonValue {
    this.#path.push(key);
    const copy = this.copy(item);
    this.#path.pop();
    return copy;
  }
}

/** Objects of this or another realm, or without a prototype; no instances of classes. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Sets a property of the object itself, also `__proto__`, where an assignment would set the prototype. */
export function setOwn<T>(target: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return sameList(a, b);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) && sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

function sameList(a: object, b: object): boolean {
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
}
