import { describe, expect, it } from 'vitest';
import { cronTimes } from './cron.js';

const at = (text: string) => Date.parse(text);
const shown = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

describe('times of schedules', () => {
  it.each([
    ['*/5 * * * *', '', '2026-01-01T00:07:30Z', '2026-01-01T00:05:00.000Z', '2026-01-01T00:10:00.000Z'],
    ['*/5 * * * *', '', '2026-01-01T00:05:00Z', '2026-01-01T00:05:00.000Z', '2026-01-01T00:10:00.000Z'],
    ['0 9 * * 1', '', '2026-01-01T00:00:00Z', '2025-12-29T09:00:00.000Z', '2026-01-05T09:00:00.000Z'],
    ['0 9 * * *', 'Europe/Stockholm', '2026-07-01T12:00:00Z', '2026-07-01T07:00:00.000Z', '2026-07-02T07:00:00.000Z'],
    // The night in which the clocks go forward has no half past two.
    ['30 2 * * *', 'Europe/Stockholm', '2026-03-28T12:00:00Z', '2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z'],
  ])('%s in %s, seen at %s', (cron, zone, now, last, next) => {
    const { lastMs, nextMs } = cronTimes(cron, zone, at(now));
    expect([shown(lastMs), shown(nextMs)]).toEqual([last, next]);
  });

  it.each([
    ['61 * * * *', '', 'minute'],
    ['* * * *', '', 'parts'],
    ['* * * * * *', '', '6 parts'],
    ['* * * * *', 'Nowhere/Else', 'Nowhere/Else'],
  ])('refuses %s in %s', (cron, zone, problem) => {
    expect(() => cronTimes(cron, zone, 0)).toThrow(problem);
  });
});
