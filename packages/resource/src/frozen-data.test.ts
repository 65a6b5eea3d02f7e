import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InvalidArgumentError } from './errors.js';
import { frozenJson, type JsonValue, maxJsonDepth, mutableJson, sameJson } from './frozen-data.js';

const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }) as fc.Arbitrary<JsonValue>;

function refusal(value: unknown): InvalidArgumentError {
  try {
    frozenJson(value);
  } catch (error) {
    return error as InvalidArgumentError;
  }
  throw new Error('it was taken');
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

describe('frozenJson', () => {
  it('R8: makes an equal copy that is frozen through and through, and leaves its source alone', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        const copy = frozenJson(value);
        expect(copy).toEqual(value);
        expect(sameJson(copy, value)).toBe(true);
        expect(isDeepFrozen(copy)).toBe(true);
        expect(JSON.stringify(value)).toBe(before);
        expect(frozenJson(copy)).toBe(copy);
      }),
    );
  });

  it('R8: what is changed in the source later does not show in the copy', () => {
    const source = { list: [{ a: 1 }] };
    const copy = frozenJson(source);
    source.list[0] = { a: 2 };
    source.list.push({ a: 3 });
    expect(copy).toEqual({ list: [{ a: 1 }] });
  });

  it('R8: an object that others froze is copied, because it may hold what is not frozen', () => {
    const inner = { a: 1 };
    const source = Object.freeze({ inner });
    const copy = frozenJson(source);
    inner.a = 2;
    expect(copy).toEqual({ inner: { a: 1 } });
  });

  it('R8: parts that were frozen here are shared', () => {
    const part = frozenJson({ a: 1 });
    expect((frozenJson({ part }) as { part: unknown }).part).toBe(part);
  });

  it('R8: a key __proto__ is a key like any other', () => {
    const copy = frozenJson(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}')) as object;
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect('polluted' in copy).toBe(false);
    expect(Object.keys(mutableJson(copy))).toEqual(['__proto__', 'constructor']);
  });

  it('leaves out what is undefined, as JSON does', () => {
    expect(Object.keys(frozenJson({ a: undefined, b: 1 }) as object)).toEqual(['b']);
  });

  it('takes objects without a prototype, and of another realm', () => {
    expect(frozenJson(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
    expect(frozenJson(Object.assign(Object.create(Object.create(null)), { a: 1 }))).toEqual({ a: 1 });
  });

  it.each<[string, unknown, (string | number)[]]>([
    ['NaN', { a: Number.NaN }, ['a']],
    ['Infinity', { a: [1, Number.POSITIVE_INFINITY] }, ['a', 1]],
    ['a bigint', { a: { b: 1n } }, ['a', 'b']],
    ['a function', { a: () => 1 }, ['a']],
    ['a symbol', [Symbol('s')], [0]],
    ['undefined in a list', { a: [undefined] }, ['a', 0]],
    ['undefined', undefined, []],
    ['a date', { a: new Date(0) }, ['a']],
    ['a map', { a: new Map() }, ['a']],
    ['a byte array', { a: new Uint8Array(1) }, ['a']],
    ['an instance of a class', { a: new (class Machine {})() }, ['a']],
  ])('refuses %s with its path', (_, value, path) => {
    const error = refusal(value);
    expect(error.code).toBe('invalid-argument');
    expect(error.path).toEqual(path);
    expect(error.message).toMatch(/^spec[.[:]/);
  });

  it('refuses circles and what is nested too deep, without overflowing', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(refusal(circle).message).toMatch(/in a circle/);
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(refusal(deep).message).toMatch(/nested more than/);
    let fitting: unknown = 1;
    for (let i = 0; i < maxJsonDepth; i++) fitting = [fitting];
    expect(frozenJson(fitting)).toEqual(fitting);
    expect(refusal([fitting]).message).toMatch(/nested more than/);
  });
});

describe('mutableJson', () => {
  it('R8: makes a copy that can be changed and shares nothing', () => {
    const source = frozenJson({ list: [{ a: 1 }] });
    const copy = mutableJson(source) as { list: { a: number }[] };
    copy.list[0] = { a: 2 };
    copy.list.push({ a: 3 });
    expect(source).toEqual({ list: [{ a: 1 }] });
    const again = mutableJson(source) as { list: { a: number }[] };
    (again.list[0] as { a: number }).a = 4;
    expect(source).toEqual({ list: [{ a: 1 }] });
  });
});

describe('sameJson', () => {
  it('R7: compares deeply, without regard to the order of keys', () => {
    expect(sameJson({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] })).toBe(true);
    fc.assert(
      fc.property(json, json, (a, b) => {
        const text = (value: JsonValue) => JSON.stringify(sorted(value));
        expect(sameJson(a, b)).toBe(text(a) === text(b));
        expect(sameJson(a, mutableJson(a))).toBe(true);
      }),
    );
  });

  it.each<[JsonValue, JsonValue]>([
    [[], {}],
    [{}, []],
    [[1], [1, 2]],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [null, {}],
    [0, '0'],
    [{ constructor: 1 }, { a: 1 }],
    [JSON.parse('{"__proto__": 1}'), { a: 1 }],
    [{ '0': 'a' }, ['a']],
  ])('R7: %j and %j differ', (a, b) => {
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(b, a)).toBe(false);
  });
});

function sorted(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  if (Array.isArray(value)) return { list: value.map(sorted) };
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => ({ key, item: sorted(item) }));
}
