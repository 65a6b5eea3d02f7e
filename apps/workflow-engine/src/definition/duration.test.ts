import { expect, it } from 'vitest';
import { durationMs, durationText } from './duration.js';
import { timeMs } from './time.js';

it.each<[string, number | undefined]>([
  ['90s', 90_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['250ms', 250],
  ['1.5s', 1500],
  ['1m250ms', 60_250],
  ['0s', 0],
  ['', undefined],
  ['90', undefined],
  ['5 m', undefined],
  ['30m1h', undefined],
  ['1m1m', undefined],
  ['-1s', undefined],
  ['1.s', undefined],
  ['1w', undefined],
])('%j is a duration of %s ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

it.each(['90s', '5m', '1h30m', '2d', '250ms', '1m250ms', '0s'])('%s is written as it is read', (text) => {
  const ms = durationMs(text) ?? Number.NaN;
  expect(durationMs(durationText(ms))).toBe(ms);
  expect(durationText(ms)).toBe(text === '90s' ? '1m30s' : text);
});

it.each<[string, string | undefined]>([
  ['2030-05-17T08:00:00Z', '2030-05-17T08:00:00.000Z'],
  ['2030-05-17T08:00+02:00', '2030-05-17T06:00:00.000Z'],
  ['2030-05-17T08:00:00.25Z', '2030-05-17T08:00:00.250Z'],
  ['2030-05-17', undefined],
  ['2030-13-17T08:00:00Z', undefined],
  ['2030-05-17T08:00:00', undefined],
  ['tomorrow', undefined],
])('%j is the time %s', (text, time) => {
  const ms = timeMs(text);
  expect(ms === undefined ? undefined : new Date(ms).toISOString()).toBe(time);
});
