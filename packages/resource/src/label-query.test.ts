import { describe, expect, it } from 'vitest';
import { isInvalidArgument, isUnsupported } from './error-guards.js';
import { type LabelQueryInput, label, labelQueries } from './label-query.js';

const term = { key: 'k', op: 'equal', value: ['v'], invert: false } as const;

function failure(input: unknown): unknown {
  try {
    return labelQueries(input as LabelQueryInput);
  } catch (error) {
    return error;
  }
}

describe('labelQueries', () => {
  it('takes one query or a list of them', () => {
    expect(labelQueries([term])).toEqual([[term]]);
    expect(labelQueries([[term], [term, term]])).toEqual([[term], [term, term]]);
    expect(labelQueries([[]])).toEqual([[]]);
    expect(labelQueries([])).toEqual([]);
    expect(labelQueries(undefined)).toEqual([]);
  });

  it('copies and freezes what it is given, and gives its own results back', () => {
    const value = ['v'];
    const query = [{ ...term, value }];
    const queries = labelQueries(query);
    value.push('w');
    query.push({ ...term, value });
    expect(queries).toEqual([[term]]);
    expect(() => (queries as unknown[]).push([])).toThrow(TypeError);
    const values = queries.flat().map((made) => made.value as string[]);
    for (const made of values) expect(() => made.push('w')).toThrow(TypeError);
    expect(labelQueries(queries)).toBe(queries);
  });

  it('R13: refuses an operation that it does not know as unsupported', () => {
    for (const op of ['like', undefined, 3n, 'toString']) expect(isUnsupported(failure([{ ...term, op }]))).toBe(true);
  });

  it.each([
    ['no list', {}],
    ['a term without a list', term],
    ['terms and queries mixed', [[term], term]],
    ['queries and terms mixed', [term, [term]]],
    ['a term that is null', [null]],
    ['a hole', [new Array(2)]],
    ['a key that is no string', [{ ...term, key: 1 }]],
    ['a value that is no list', [{ ...term, value: 'v' }]],
    ['a value that holds a number', [{ ...term, value: [1] }]],
    ['a value with a hole', [{ ...term, value: new Array(1) }]],
    ['an invert that is no boolean', [{ ...term, invert: undefined }]],
  ])('refuses %s as an invalid argument', (_, input) => {
    expect(isInvalidArgument(failure(input))).toBe(true);
  });
});

describe('label', () => {
  it('makes frozen terms that labelQueries accepts', () => {
    const query = [
      label('a').exists(),
      label('a').absent(),
      label('a').is('x'),
      label('a').isNot('x'),
      label('a').in(['x', 'y']),
      label('a').notIn([]),
      label('a').lessThan('x'),
      label('a').greaterThanNumeric(-5),
      label('a').atLeastNumeric(2n ** 70n),
      label('a').lessThanNumeric('8 GiB'),
    ];
    expect(query.every((made) => Object.isFrozen(made) && Object.isFrozen(made.value))).toBe(true);
    expect(labelQueries(query)).toEqual([query]);
    expect(query.slice(-3)).toEqual([
      { key: 'a', op: 'lteNumeric', value: ['-5'], invert: true },
      { key: 'a', op: 'ltNumeric', value: ['1180591620717411303424'], invert: true },
      { key: 'a', op: 'ltNumeric', value: ['8 GiB'], invert: false },
    ]);
  });

  it('refuses numbers that are not exact', () => {
    for (const value of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => label('a').lessThanNumeric(value)).toThrow(/no integer/);
    }
  });

  it('refuses what is no text', () => {
    expect(() => label(1 as never)).toThrow(TypeError);
    expect(() => label('a').is(undefined as never)).toThrow(TypeError);
    expect(() => label('a').in(['x', 1 as never])).toThrow(TypeError);
  });
});
