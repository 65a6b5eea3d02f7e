import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { CountedClock } from './counted-clock.js';

describe('CountedClock', () => {
  it('counts what is armed: not what was cancelled or has fired', async () => {
    const clock = new VirtualClock();
    const counted = new CountedClock(clock);
    let fired = 0;
    counted.schedule(10, () => void fired++);
    const timer = counted.schedule(20, () => void fired++);
    clock.schedule(30, () => undefined);
    expect(counted.timers).toBe(2);
    await clock.advance(10);
    expect([counted.timers, fired]).toEqual([1, 1]);
    timer.cancel();
    timer.cancel();
    expect(counted.timers).toBe(0);
    await clock.advance(10);
    expect(fired).toBe(1);
    expect(counted.monotonicMs()).toBe(20);
    expect(counted.now().toString()).toBe(clock.now().toString());
  });
});
