import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLogLine, parseLogLine } from './log-line.js';

const time = new Date('2026-01-02T03:04:05.678Z');

describe('lines of logs', () => {
  it.each([
    [{ time, stream: 'stdout', text: 'done', goesOn: false } as const, '2026-01-02T03:04:05.678Z\tstdout\tdone\n'],
    [{ time, stream: 'stderr', text: 'a\tb', goesOn: true } as const, '2026-01-02T03:04:05.678Z\tstderr+\ta\tb\n'],
    [{ time, stream: 'engine', text: '', goesOn: false } as const, '2026-01-02T03:04:05.678Z\tengine\t\n'],
  ])('%o', (line, text) => {
    expect(formatLogLine(line)).toBe(text);
    expect(parseLogLine(text.slice(0, -1))).toEqual(line);
  });

  it('are read as they were written', () => {
    const line = fc.record({
      time: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
      stream: fc.constantFrom('stdout' as const, 'stderr' as const, 'engine' as const),
      text: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '')),
      goesOn: fc.boolean(),
    });
    fc.assert(
      fc.property(line, (given) => {
        expect(parseLogLine(formatLogLine(given).slice(0, -1))).toEqual(given);
      }),
    );
  });

  it.each([
    '',
    'text',
    '2026-01-02T03:04:05.678Z\tstdout',
    'now\tstdout\ttext',
    '2026-01-02T03:04:05.678Z\tother\ttext',
  ])('are not %j', (text) => {
    expect(parseLogLine(text)).toBeUndefined();
  });
});
