import { describe, expect, it } from 'vitest';
import { agoText, tookText } from './times.js';

const now = Date.parse('2030-01-02T03:04:05Z');

describe('times', () => {
  it.each([
    ['2030-01-02T03:04:04.6Z', '0.4 s'],
    ['2030-01-02T03:03:53Z', '12 s'],
    ['2030-01-02T03:01:00Z', '3 min 5 s'],
    ['2030-01-02T03:01:05Z', '3 min'],
    ['2030-01-02T00:54:05Z', '2 h 10 min'],
    ['2029-12-29T00:04:05Z', '4 d 3 h'],
    // The clocks of two machines differ.
    ['2030-01-02T03:04:06Z', '0.0 s'],
  ])('%s is %s ago', (time, text) => {
    expect(agoText(time, now)).toBe(`${text} ago`);
    expect(tookText(time, null, now)).toBe(text);
  });

  it('tells how long something took that is over, and nothing of what has not begun', () => {
    expect(tookText('2030-01-01T00:00:00Z', '2030-01-01T00:01:00Z', now)).toBe('1 min');
    expect(tookText(null, null, now)).toBe('');
    expect(agoText(null, now)).toBe('');
  });
});
