import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNumeric } from './numeric.js';

describe('parseNumeric', () => {
  it.each([
    ['7', 7n],
    ['007', 7n],
    ['-0', 0n],
    ['-12', -12n],
    [' \t\u00a0\u00855\u2003', 5n],
    ['1k', 1000n],
    ['1 KB', 1000n],
    ['1kilo', 1024n],
    ['1k i', 1000n],
    ['2 GiB', 2n * 1024n ** 3n],
    ['1M', 10n ** 6n],
    ['-3Ti', -3n * 1024n ** 4n],
    ['1P', 10n ** 15n],
    ['1pib per second', 1024n ** 5n],
    ['1\u212a', 1000n],
    ['1K\u0130', 1024n],
  ])('R13: reads %j', (text, value) => {
    expect(parseNumeric(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '-',
    'k',
    '+5',
    '- 5',
    '--5',
    '1.5',
    '1e3',
    '0x10',
    '1_000',
    '1,000',
    '5-',
    '1%',
    '1b',
    '1E',
    '1i',
  ])('R13: %j is no number', (text) => {
    expect(parseNumeric(text)).toBeUndefined();
  });

  it.each(['\u0665', '\uff15', '\ufeff5', '\u200b5', '5\u{1f642}'])(
    'R13: %j is no number: digits are ASCII',
    (text) => {
      expect(parseNumeric(text)).toBeUndefined();
    },
  );

  it('R13: arithmetic is exact at every size', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }), (value) => {
        expect(parseNumeric(`${value} Pi`)).toBe(value * 1024n ** 5n);
        expect(parseNumeric(` ${value}`)).toBe(value);
      }),
    );
  });
});
