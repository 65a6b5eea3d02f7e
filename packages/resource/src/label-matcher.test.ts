import { describe, expect, it } from 'vitest';
import vectors from '../../../tools/vectors/labels.json' with { type: 'json' };
import { labelMatcher, matchesLabels } from './label-matcher.js';
import { type LabelOperation, type LabelQuery, label, labelQueries } from './label-query.js';
import { stringMap } from './string-map.js';

interface Row {
  readonly labels: Record<string, string>;
  readonly queries: readonly (readonly { key: string; op: string; value?: string[]; invert?: boolean }[])[];
  readonly matches: boolean;
  readonly wraps?: boolean;
}

const rows = vectors.rows as unknown as readonly Row[];

const operations: Record<string, LabelOperation> = {
  EXISTS: 'exists',
  EQUAL: 'equal',
  IN: 'in',
  LT: 'lt',
  LTE: 'lte',
  LT_NUMERIC: 'ltNumeric',
  LTE_NUMERIC: 'lteNumeric',
};

function queriesOf(row: Row): LabelQuery[] {
  return row.queries.map((query) =>
    query.map(({ key, op, value = [], invert = false }) =>
      op === 'NOT_EXISTS'
        ? { key, op: 'exists' as const, value, invert: true }
        : { key, op: operations[op] as LabelOperation, value, invert },
    ),
  );
}

/**
 * The peer computes in 64 bits: products wrap around there, and numbers of more bits are none. Here arithmetic is exact.
 * These are the rows where that shows, each with the exact answer.
 */
const exact = new Map<string, boolean>([
  ['9223372036854775807k ltNumeric 0', false],
  ['9223372036854775807k lteNumeric 0', false],
  ['10000P lteNumeric 1', false],
  ['10000P !ltNumeric 1', true],
  ['8192Pi ltNumeric 0', false],
  ['8192Pi lteNumeric 0', false],
  ['16384Pi ltNumeric 1', false],
  ['16384Pi lteNumeric 1', false],
  ['16384Pi !ltNumeric 1', true],
  ['9224P lteNumeric 0', false],
  ['-8193Pi ltNumeric 0', true],
  ['-8193Pi !ltNumeric 0', false],
  ['0 ltNumeric 9224P', true],
  ['0 lteNumeric 9224P', true],
  ['1 ltNumeric 8192Pi', true],
  ['1 ltNumeric 9223372036854775808', true],
  ['1 lteNumeric 9223372036854775808', true],
  ['-9223372036854775809 ltNumeric 0', true],
  ['-9223372036854775809 lteNumeric 0', true],
]);

function rowName(row: Row): string {
  const [term] = queriesOf(row).flat();
  return `${row.labels.k} ${term?.invert ? '!' : ''}${term?.op} ${term?.value.join()}`;
}

describe('label queries against the golden vectors', () => {
  it('R13: every row matches as the peer answered, but for exact arithmetic', () => {
    const differing = rows.filter((row) => matchesLabels(stringMap(row.labels), queriesOf(row)) !== row.matches);
    expect(rows).toHaveLength(380);
    expect(new Map(differing.map((row) => [rowName(row), !row.matches]))).toEqual(exact);
  });

  it('R13: every row in which the peer wraps around is one that is answered exactly here', () => {
    const wrapping = rows.filter((row) => row.wraps === true);
    expect(wrapping).toHaveLength(15);
    expect(wrapping.filter((row) => !exact.has(rowName(row)))).toEqual([]);
  });
});

describe('labelMatcher', () => {
  it('R13: a query ANDs its terms, a list of queries ORs them', () => {
    const matches = labelMatcher([[label('tier').is('web'), label('zone').is('a')], [label('tier').is('db')]]);
    expect(matches(stringMap({ tier: 'web', zone: 'a' }))).toBe(true);
    expect(matches(stringMap({ tier: 'web', zone: 'b' }))).toBe(false);
    expect(matches(stringMap({ tier: 'db', zone: 'b' }))).toBe(true);
  });

  it.each([[undefined], [[]], [[[]]]])('R13: %j matches all', (queries) => {
    expect(labelMatcher(queries)(stringMap({}))).toBe(true);
    expect(labelMatcher(queries)(stringMap({ a: '1' }))).toBe(true);
  });

  it('R13: comparisons on a missing label never match, inverted or not', () => {
    const memory = label('memory');
    for (const term of [
      memory.lessThan('5'),
      memory.atMost('5'),
      memory.greaterThan('5'),
      memory.atLeast('5'),
      memory.lessThanNumeric(5),
      memory.atMostNumeric(5),
      memory.greaterThanNumeric(5),
      memory.atLeastNumeric(5),
    ]) {
      expect(matchesLabels(stringMap({ other: '5' }), [term])).toBe(false);
    }
  });

  it('R13: a missing label is absent, is not any value and is in no list', () => {
    const tier = label('tier');
    const labels = stringMap({});
    expect(matchesLabels(labels, [tier.absent(), tier.isNot('web'), tier.notIn(['web', 'db'])])).toBe(true);
    for (const term of [tier.exists(), tier.is('web'), tier.in(['web'])]) {
      expect(matchesLabels(labels, [term])).toBe(false);
    }
  });

  it('R13: the four comparisons of texts and of numbers split the line where they say', () => {
    const of = (value: string) =>
      [
        'lessThan',
        'atMost',
        'greaterThan',
        'atLeast',
        'lessThanNumeric',
        'atMostNumeric',
        'greaterThanNumeric',
        'atLeastNumeric',
      ]
        .filter((name) => matchesLabels(stringMap({ k: value }), [label('k')[name as 'lessThan']('5')]))
        .join(' ');
    expect(of('4')).toBe('lessThan atMost lessThanNumeric atMostNumeric');
    expect(of('5')).toBe('atMost atLeast atMostNumeric atLeastNumeric');
    expect(of('10')).toBe('lessThan atMost greaterThanNumeric atLeastNumeric');
    expect(of('six')).toBe('greaterThan atLeast');
  });

  it('R13: texts compare in the byte order of UTF-8', () => {
    expect(matchesLabels(stringMap({ k: '\uffff' }), [label('k').lessThan('\u{10000}')])).toBe(true);
  });

  it('R13: labels called like members of Object are labels like any other', () => {
    expect(matchesLabels({}, [label('constructor').absent(), label('__proto__').absent()])).toBe(true);
    expect(matchesLabels(stringMap(JSON.parse('{"__proto__":"x"}')), [label('__proto__').is('x')])).toBe(true);
  });

  it('keeps the matcher of queries that were brought into form', () => {
    const queries = labelQueries([label('tier').is('web')]);
    expect(labelMatcher(queries)).toBe(labelMatcher(queries));
  });
});
