import { describe, expect, it } from 'vitest';
import { systemClock, systemRandom } from './clock.js';

describe('the system clock', () => {
  it('R1: tells the time with microseconds', () => {
    const now = systemClock.now();
    expect(Math.abs(now.toDate().getTime() - Date.now())).toBeLessThan(1000);
    expect(now.nanos % 1000).toBe(0);
    const fine = Array.from({ length: 100 }, () => systemClock.now().nanos % 1_000_000);
    expect(fine.some((nanos) => nanos !== 0)).toBe(true);
  });

  it('gives random bytes of the length asked for', () => {
    expect(systemRandom.bytes(8)).toHaveLength(8);
    expect(systemRandom.bytes(16)).not.toEqual(systemRandom.bytes(16));
    expect(systemRandom.float()).toBeLessThan(1);
  });
});
