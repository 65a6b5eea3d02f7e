import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInvalidArgument } from './error-guards.js';
import { Timestamp } from './timestamp.js';

const first = -62_135_596_800;
const last = 253_402_300_799;
const times = fc
  .tuple(fc.integer({ min: first, max: last }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([seconds, nanos]) => new Timestamp(seconds, nanos));

function refused(make: () => unknown): boolean {
  try {
    make();
    return false;
  } catch (error) {
    return isInvalidArgument(error);
  }
}

describe('Timestamp', () => {
  it('R1: keeps nanoseconds through its text', () => {
    fc.assert(
      fc.property(times, (time) => {
        expect(Timestamp.parse(time.toString())).toEqual(time);
        expect(Timestamp.parse(JSON.parse(JSON.stringify(time)))).toEqual(time);
      }),
    );
  });

  it.each([
    ['1970-01-01T00:00:00Z', 0, 0],
    ['1969-12-31T23:59:59.999999999Z', -1, 999_999_999],
    ['1931-05-06T07:08:09.5Z', -1_219_942_311, 500_000_000],
    ['0001-01-01T00:00:00Z', first, 0],
    ['9999-12-31T23:59:59.999999999Z', last, 999_999_999],
    ['2024-02-29T12:00:00.000001Z', 1_709_208_000, 1000],
  ])('R1: %s is %d s and %d ns, before 1970 too', (text, seconds, nanos) => {
    expect(Timestamp.parse(text)).toEqual(new Timestamp(seconds, nanos));
    expect(new Timestamp(seconds, nanos).toString()).toBe(text);
  });

  it('R15: reads offsets and cuts off digits past the nanosecond', () => {
    expect(Timestamp.parse('2024-03-01T12:20:30+02:00').toString()).toBe('2024-03-01T10:20:30Z');
    expect(Timestamp.parse('2024-03-01T10:20:30-08:30').toString()).toBe('2024-03-01T18:50:30Z');
    expect(Timestamp.parse('2024-03-01T10:20:30.1234567899Z').nanos).toBe(123_456_789);
  });

  it('R15: prints whole seconds when asked', () => {
    expect(new Timestamp(-1, 999_999_999).toString('seconds')).toBe('1969-12-31T23:59:59Z');
  });

  it.each([
    '',
    '2024-03-01',
    '2024-03-01 10:20:30Z',
    '2024-03-01t10:20:30z',
    '2024-03-01T10:20:30',
    '2024-3-1T10:20:30Z',
    '2024-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-03-01T24:00:00Z',
    '2024-03-01T10:60:00Z',
    '2024-03-01T10:20:60Z',
    '2024-03-01T10:20:30+24:00',
    '2024-03-01T10:20:30.Z',
    '0000-12-31T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    ' 2024-03-01T10:20:30Z',
  ])('R15: %j is no time', (text) => {
    expect(refused(() => Timestamp.parse(text))).toBe(true);
  });

  it('R1: refuses what is out of range', () => {
    expect(refused(() => new Timestamp(first - 1, 0))).toBe(true);
    expect(refused(() => new Timestamp(last + 1, 0))).toBe(true);
    expect(refused(() => new Timestamp(0.5, 0))).toBe(true);
    expect(refused(() => new Timestamp(Number.NaN, 0))).toBe(true);
    expect(refused(() => new Timestamp(0, -1))).toBe(true);
    expect(refused(() => new Timestamp(0, 1_000_000_000))).toBe(true);
    expect(refused(() => Timestamp.fromDate(new Date(Number.NaN)))).toBe(true);
    expect(refused(() => new Timestamp(last, 999_999_999).next())).toBe(true);
  });

  it('R1: next is the next nanosecond, and the order is that of time', () => {
    fc.assert(
      fc.property(times, times, (a, b) => {
        expect(Math.sign(a.compare(b))).toBe(
          a.seconds === b.seconds ? Math.sign(a.nanos - b.nanos) : Math.sign(a.seconds - b.seconds),
        );
        expect(a.equals(b)).toBe(a.compare(b) === 0);
        expect(a.next().compare(a)).toBeGreaterThan(0);
      }),
    );
    expect(new Timestamp(-1, 999_999_999).next()).toEqual(Timestamp.epoch);
  });

  it('converts dates, before 1970 too', () => {
    const date = new Date(-1500);
    expect(Timestamp.fromDate(date)).toEqual(new Timestamp(-2, 500_000_000));
    expect(Timestamp.fromDate(date).toDate()).toEqual(date);
    expect(new Timestamp(-1, 999_999_999).toDate().getTime()).toBe(-1);
  });

  it('R8: cannot be changed', () => {
    expect(() => {
      (Timestamp.epoch as { seconds: number }).seconds = 1;
    }).toThrow(TypeError);
  });
});
