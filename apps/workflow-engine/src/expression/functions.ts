import {
  type CelFunc,
  type CelList,
  CelScalar,
  type CelValue,
  celFunc,
  celMethod,
  isCelList,
  listType,
  mapType,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import type { JsonValue } from '@cosi-ts/resource';
import { toCelValue, toJsonValue } from './cel-value.js';
import { spend } from './effort.js';
import { loopFunctions } from './loops.js';
import { textOf } from './text.js';

const { DOUBLE, DYN, INT, STRING } = CelScalar;
const list = listType(DYN);
const map = mapType(DYN, DYN);

/** So many items at most does `range` give. */
const longestRange = 1_000_000;

/**
 * CEL knows no sum of an `int` and a `double`. Numbers of JSON are of one type for its users: whether `inputs.ratio` is
 * 1 or 0.5 must not decide whether `inputs.ratio * 100` has a value.
 */
const mixedNumbers: readonly CelFunc[] = Object.entries({
  '_+_': (a: number, b: number) => a + b,
  '_-_': (a: number, b: number) => a - b,
  '_*_': (a: number, b: number) => a * b,
  '_/_': (a: number, b: number) => a / b,
}).flatMap(([operator, apply]) => [
  celFunc(operator, [INT, DOUBLE], DOUBLE, (a, b) => apply(Number(a), b)),
  celFunc(operator, [DOUBLE, INT], DOUBLE, (a, b) => apply(a, Number(b))),
]);

const texts: readonly CelFunc[] = [
  // Those of the library take lists of texts only.
  celMethod('join', list, [], STRING, function () {
    return joined(this, '');
  }),
  celMethod('join', list, [STRING], STRING, function (separator) {
    return joined(this, separator);
  }),
  // That of the library begins anew after each place.
  celMethod('replace', STRING, [STRING, STRING], STRING, function (from, to) {
    return replaced(this, from, to, this.length + 1);
  }),
  celMethod('replace', STRING, [STRING, STRING, INT], STRING, function (from, to, count) {
    return replaced(this, from, to, Number(count));
  }),
  celFunc('shellQuote', [DYN], STRING, (value) => `'${textOf(toJsonValue(value)).replaceAll("'", `'\\''`)}'`),
];

/** @param most so many places at most; any number when it is negative */
function replaced(text: string, from: string, to: string, most: number): string {
  const parts = text.split(from);
  spend(parts.length + (parts.length * to.length) / 16);
  // Nothing is everywhere, also before the first and after the last character.
  if (from === '') parts.splice(0, parts.length, '', ...parts, '');
  if (most < 0 || most >= parts.length) return parts.join(to);
  return [parts.slice(0, most + 1).join(to), ...parts.slice(most + 1)].join(from);
}

function joined(items: CelList, separator: string): string {
  spend(items.size);
  return Array.from(items, (item) => textOf(toJsonValue(item))).join(separator);
}

const json: readonly CelFunc[] = [
  celFunc('json.parse', [STRING], DYN, (text) => toCelValue(parsed(text))),
  celFunc('json.stringify', [DYN], STRING, (value) => JSON.stringify(toJsonValue(value))),
];

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`this is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

const collections: readonly CelFunc[] = [
  celFunc('range', [INT], list, (count) => range(0n, count)),
  celFunc('range', [INT, INT], list, range),
  celFunc('sum', [list], DYN, (items) => itemsOf(items).reduce(add, 0n)),
  celFunc('min', [list], DYN, (items) => extreme('min', items, (a, b) => a < b)),
  celFunc('max', [list], DYN, (items) => extreme('max', items, (a, b) => a > b)),
  celFunc('flatten', [list], list, (items) =>
    itemsOf(items).flatMap((item) => (isCelList(item) ? itemsOf(item) : [item])),
  ),
  celFunc('merge', [map, map], map, (first, second) => {
    spend(first.size + second.size);
    return new Map([...first, ...second]);
  }),
];

function itemsOf(items: CelList): CelValue[] {
  spend(items.size);
  return Array.from(items);
}

function range(from: bigint, to: bigint): bigint[] {
  if (to - from > longestRange) throw new Error(`range gives at most ${longestRange} numbers`);
  const length = Math.max(0, Number(to - from));
  spend(length);
  return Array.from({ length }, (_, i) => from + BigInt(i));
}

function add(total: number | bigint, item: CelValue): number | bigint {
  if (typeof item !== 'number' && typeof item !== 'bigint') throw new Error('sum takes a list of numbers');
  return typeof total === 'bigint' && typeof item === 'bigint' ? total + item : Number(total) + Number(item);
}

function extreme(
  name: string,
  items: CelList,
  better: (a: number | bigint | string, b: number | bigint | string) => boolean,
): number | bigint | string {
  let best: number | bigint | string | undefined;
  for (const item of itemsOf(items)) {
    if (typeof item !== 'number' && typeof item !== 'bigint' && typeof item !== 'string') {
      throw new Error(`${name} takes a list of numbers, or of texts`);
    }
    if (best !== undefined && (typeof best === 'string') !== (typeof item === 'string')) {
      throw new Error(`${name} takes a list of numbers, or of texts, not of both`);
    }
    if (best === undefined || better(item, best)) best = item;
  }
  if (best === undefined) throw new Error(`${name} of an empty list is nothing`);
  return best;
}

/** What expressions can call besides what CEL itself knows. `default` is not among them: it is a macro. */
export const functions: readonly CelFunc[] = [
  ...strings,
  ...mixedNumbers,
  ...texts,
  ...json,
  ...collections,
  ...loopFunctions,
];
