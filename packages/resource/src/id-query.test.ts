import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../tools/vectors/ids.json' with { type: 'json' };
import { isInvalidArgument } from './error-guards.js';
import { idQuery, matchesId } from './id-query.js';

function failure(pattern: string): unknown {
  try {
    return idQuery(pattern);
  } catch (error) {
    return error;
  }
}

describe('id queries against the golden vectors', () => {
  it('R14: every id matches as the peer answered', () => {
    const differing = vectors.rows.filter((row) => matchesId(idQuery(row.regexp), row.id) !== row.matches);
    expect(vectors.rows).toHaveLength(76);
    expect(differing).toEqual([]);
  });

  it('R14: every pattern that the peer refuses is an invalid argument, with the parser’s message', () => {
    const differing = vectors.refused.filter((row) => isInvalidArgument(failure(row.regexp)) !== row.refused);
    expect(vectors.refused).toHaveLength(29);
    expect(differing).toEqual([]);
    expect(() => idQuery('(')).toThrow('error parsing regexp: missing closing ): `(`');
  });
});

describe('idQuery', () => {
  it('R14: a pattern is found anywhere unless anchored, and no query finds all', () => {
    expect(matchesId(idQuery('b'), 'abc')).toBe(true);
    expect(matchesId(idQuery('^b'), 'abc')).toBe(false);
    expect(matchesId(undefined, 'abc')).toBe(true);
  });

  it('R14: a lone surrogate in a pattern is refused: it has no UTF-8', () => {
    expect(isInvalidArgument(failure('a\ud800b'))).toBe(true);
    expect(matchesId(idQuery('^\u{1f642}$'), '\u{1f642}')).toBe(true);
  });

  it('R14: the name of a group may come twice, and what only looks like a group stays as it is', () => {
    const named = '(?P<n>a)';
    for (const [pattern, id] of [
      [`${named}(?<n>b)`, 'ab'],
      [`\\(?P<n>a${named}`, 'P<n>aa'],
      [`[(?P<n>]${named}`, '<a'],
      [`[]()?P<n>]${named}`, ')a'],
      [`[^\\](?P<n>]${named}`, 'xa'],
      [`[[:alpha:](?P<n>]${named}`, '?a'],
      [`\\Q(?P<n>a)\\E${named}`, '(?P<n>a)a'],
      ['(?P<constructor>a)', 'a'],
    ] as const) {
      expect(matchesId(idQuery(pattern), id), pattern).toBe(true);
    }
    expect(matchesId(idQuery(`${named}\\Q(?P<n>a)`), 'a(?P<n>a)')).toBe(true);
    expect(isInvalidArgument(failure(`${named}(?P<n>b)(?P<>c)`))).toBe(true);
  });

  it('R14: finds any text that is quoted in its own pattern', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (text, around) => {
        const quoted = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
        expect(matchesId(idQuery(quoted), `${around}${text}${around}`)).toBe(true);
      }),
    );
  });

  it('R14: catastrophic patterns take no more steps than others', () => {
    const id = `${'a'.repeat(1000)}!`;
    for (const pattern of [
      '^(a+)+$',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(a|aa)+$',
      '(.*)*(.*)*(.*)*x',
      '(a?){500}a{500}b',
    ]) {
      expect(matchesId(idQuery(pattern), id)).toBe(false);
    }
  });

  it('R14: a pattern that is nested very deep or grows very large is refused, not followed', () => {
    expect(isInvalidArgument(failure('('.repeat(100_000) + ')'.repeat(100_000)))).toBe(true);
    expect(isInvalidArgument(failure('((a{1000}){1000}){1000}'))).toBe(true);
    expect(isInvalidArgument(failure('[\\pL\\pN]{1000}'.repeat(200)))).toBe(true);
  });

  it('compiles a pattern that was used lately once', () => {
    const first = idQuery('^kept$');
    expect(idQuery('^kept$')).toBe(first);
    for (let i = 0; i < 100; i++) idQuery(`^other-${i}$`);
    expect(idQuery('^kept$')).not.toBe(first);
    expect(idQuery('^kept$').pattern).toBe('^kept$');
  });

  it('refuses what is no text', () => {
    expect(isInvalidArgument(failure(/a/ as never))).toBe(true);
  });
});
