import { InvalidArgumentError } from './errors.js';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Values that were made here: copying them again would make the same. */
const frozen = new WeakSet<object>();

/**
 * A deeply frozen copy of JSON-like data: null, booleans, finite numbers, strings, arrays and plain objects.
 * Keys whose value is undefined are left out, as JSON does. Anything else is `invalid-argument` with its path.
 */
export function frozenJson(value: unknown): JsonValue {
  return copyJson(value, '', true, 0);
}

/** A copy of the same data that can be changed. */
export function mutableJson<T>(value: T): T {
  return copyJson(value, '', false, 0) as T;
}

const maxDepth = 1000;

function copyJson(value: unknown, path: string, freeze: boolean, depth: number): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw refuse(path, `${value} has no JSON form`);
  }
  if (typeof value !== 'object') throw refuse(path, `a ${typeof value} has no JSON form`);
  if (freeze && frozen.has(value)) return value as JsonValue;
  if (depth > maxDepth)
    throw refuse(path.slice(0, 64), `it is nested more than ${maxDepth} levels deep, or in a circle`);
  const copy = Array.isArray(value)
    ? Array.from(value, (item, i) => copyJson(item, `${path}[${i}]`, freeze, depth + 1))
    : copyObject(value, path, freeze, depth);
  if (freeze) {
    Object.freeze(copy);
    frozen.add(copy);
  }
  return copy;
}

function copyObject(value: object, path: string, freeze: boolean, depth: number): { [key: string]: JsonValue } {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw refuse(
      path,
      `a ${value.constructor?.name ?? 'class instance'} has no JSON form; use a protobuf message or a codec`,
    );
  }
  const copy: { [key: string]: JsonValue } = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const child = copyJson(item, path === '' ? key : `${path}.${key}`, freeze, depth + 1);
    // Assigning to this key would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: child, enumerable: true, configurable: true, writable: true });
    else copy[key] = child;
  }
  return copy;
}

function refuse(path: string, why: string): InvalidArgumentError {
  return new InvalidArgumentError(`spec${path === '' || path.startsWith('[') ? path : `.${path}`}: ${why}`);
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) && sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}
