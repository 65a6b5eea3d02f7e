import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareNumeric, type Numeric, parseNumeric, readNumeric } from './numeric.js';

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

describe('compareNumeric', () => {
  const unit = fc.constantFrom('', 'k', 'M', 'P', 'ki', 'Gi', 'Ti', ' PiB');
  const number = fc
    .tuple(fc.constantFrom('', ' '), fc.bigInt({ min: -(2n ** 150n), max: 2n ** 150n }), unit)
    .map(([space, value, text]) => `${space}${value}${text}`);

  it('R13: orders numbers as they are, whatever their units', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [x, y] = [parseNumeric(a) as bigint, parseNumeric(b) as bigint];
        const order = compareNumeric(readNumeric(a) as Numeric, readNumeric(b) as Numeric);
        expect(Math.sign(order)).toBe(x < y ? -1 : Number(x > y));
      }),
    );
  });

  it.each([
    ['1024Ki', '1Mi'],
    ['1000k', '1M'],
    ['0', '-0 Pi'],
    ['00', '0k'],
    [`${1024n ** 5n * 10n ** 40n}`, `1${'0'.repeat(40)}Pi`],
  ])('R13: %s is %s', (a, b) => {
    expect(compareNumeric(readNumeric(a) as Numeric, readNumeric(b) as Numeric)).toBe(0);
  });

  it('R13: is exact with millions of digits, which cost no more than their length', () => {
    const nines = '9'.repeat(5_000_000);
    const kibi = readNumeric(`${nines} Ki`) as Numeric;
    // (10^n - 1) * 1024 is 1024 * 10^n - 1024.
    const exact = readNumeric(`1023${'9'.repeat(4_999_996)}8976`) as Numeric;
    expect(compareNumeric(kibi, exact)).toBe(0);
    const more = readNumeric(`1023${'9'.repeat(4_999_996)}8977`) as Numeric;
    expect([compareNumeric(kibi, more), compareNumeric(more, kibi)]).toEqual([-1, 1]);
  });
});
