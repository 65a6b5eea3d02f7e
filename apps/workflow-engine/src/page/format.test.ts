import { describe, expect, it } from 'vitest';
import { formatDuration, formatJson, formatSpan, formatTime } from './format.js';

describe('formats of the page', () => {
  it.each([
    [-5, '0 ms'],
    [850.4, '850 ms'],
    [12_345, '12.3 s'],
    [59_960, '1 min 00 s'],
    [185_000, '3 min 05 s'],
    [2 * 3_600_000 + 4 * 60_000, '2 h 04 min'],
    [74 * 3_600_000, '3 d 2 h'],
  ])('has %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('goes to now where there is no end, and is empty where there is no beginning', () => {
    const from = '2030-01-01T00:00:00Z';
    expect(formatSpan(from, '2030-01-01T00:00:02Z', 0)).toBe('2.0 s');
    expect(formatSpan(from, null, Date.parse(from) + 500)).toBe('500 ms');
    expect(formatSpan(null, null, 0)).toBe('');
  });

  it('has the date of other days', () => {
    const time = new Date(2030, 0, 2, 3, 4, 5).toISOString();
    expect(formatTime(time, new Date(2030, 0, 2, 23).getTime())).toBe('03:04:05');
    expect(formatTime(time, new Date(2030, 0, 3, 1).getTime())).toBe('2 Jan 03:04:05');
    expect(formatTime(null, 0)).toBe('');
  });

  it('leaves texts as they are', () => {
    expect(formatJson('two\nlines')).toBe('two\nlines');
    expect(formatJson({ a: 1 })).toBe('{"a":1}');
    expect(formatJson(['x'.repeat(80)])).toBe(`[\n  "${'x'.repeat(80)}"\n]`);
  });
});
