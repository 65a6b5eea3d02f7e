import {
  type CelList,
  type CelMap,
  type CelValue,
  celList,
  celMap,
  isCelList,
  isCelMap,
  isCelType,
  isCelUint,
} from '@bufbuild/cel';
import { type Message, toJson } from '@bufbuild/protobuf';
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { JsonValue } from '@cosi-ts/resource';
import type { JsonObject } from '../json.js';
import { spend } from './effort.js';

/** Lists whose items have been made values of CEL: an item of a fan-out must not pay for the whole list again. */
const lists = new WeakMap<readonly JsonValue[], CelList>();

/**
 * A value of JSON as CEL sees it. Whole numbers are of the type `int`, others `double`. Objects are read when they are
 * asked, lists when they are first seen: neither may change afterwards.
 */
export function toCelValue(value: JsonValue): CelValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? toCelList(value) : celMap(new ObjectView(value));
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function toCelList(value: readonly JsonValue[]): CelList {
  const known = lists.get(value);
  if (known !== undefined) return known;
  const list = celList(value.map(toCelValue));
  lists.set(value, list);
  return list;
}

/** An object as a map that makes a value only when it is asked for it. */
class ObjectView implements ReadonlyMap<string, CelValue> {
  readonly #object: JsonObject;

  constructor(object: JsonObject) {
    this.#object = object;
  }

  get size(): number {
    return Object.keys(this.#object).length;
  }

  get(key: string): CelValue | undefined {
    // Keys of other types come here too: numbers would be found as texts.
    if (typeof key !== 'string' || !Object.hasOwn(this.#object, key)) return undefined;
    return toCelValue(this.#object[key] as JsonValue);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  keys(): MapIterator<string> {
    return Object.keys(this.#object).values();
  }

  *values(): MapIterator<CelValue> {
    for (const value of Object.values(this.#object)) yield toCelValue(value);
  }

  *entries(): MapIterator<[string, CelValue]> {
    for (const [key, value] of Object.entries(this.#object)) yield [key, toCelValue(value)];
  }

  [Symbol.iterator](): MapIterator<[string, CelValue]> {
    return this.entries();
  }

  forEach(callback: (value: CelValue, key: string, map: ReadonlyMap<string, CelValue>) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }
}

/** A value that JSON cannot hold. */
class NotJson extends Error {
  override readonly name = 'NotJson';
}

/**
 * The value as JSON: times as text of RFC 3339, durations as text (`90s`), keys of maps as text.
 * Throws an error that says why for what JSON cannot hold: bytes, types, infinite numbers, whole numbers beyond 2^53; and
 * for what is too much: a list can hold another one many times, and is as large as all of them here.
 */
export function toJsonValue(value: CelValue): JsonValue {
  spend(2);
  switch (typeof value) {
    case 'string':
      spend(value.length / 8);
      return value;
    case 'boolean':
      return value;
    case 'bigint':
      return safeNumber(value);
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson(`${value} is no number that JSON can hold`);
      return value;
  }
  if (value === null) return null;
  if (isCelList(value)) {
    // At once: to go through a list that is made of many takes its time.
    spend(value.size);
    return Array.from(value, toJsonValue);
  }
  if (isCelMap(value)) return toJsonObject(value);
  if (isCelUint(value)) return safeNumber(value.value);
  if (value instanceof Uint8Array)
    throw new NotJson('bytes cannot be held by JSON: write string(…) for the text of them');
  if (isCelType(value)) throw new NotJson(`the type ${value.name} cannot be held by JSON: compare it with ==`);
  return messageToJson(value.message);
}

function messageToJson(message: Message): JsonValue {
  switch (message.$typeName) {
    case TimestampSchema.typeName:
      return toJson(TimestampSchema, message as never);
    case DurationSchema.typeName:
      return toJson(DurationSchema, message as never);
    default:
      throw new NotJson(`a ${message.$typeName} cannot be held by JSON`);
  }
}

function safeNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw new NotJson(`${value} is too large for a number of JSON: write string(…) or double(…)`);
  }
  return number;
}

function toJsonObject(map: CelMap): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const [key, value] of map) {
    const text = isCelUint(key) ? String(key.value) : String(key);
    if (entries.has(text)) throw new NotJson(`the map has two keys that are ${text} as text`);
    entries.set(text, toJsonValue(value));
  }
  // Unlike an assignment this makes a key `__proto__` one like any other.
  return Object.fromEntries(entries);
}
