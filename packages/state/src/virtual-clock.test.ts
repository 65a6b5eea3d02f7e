import { sleep } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from './virtual-clock.js';

describe('VirtualClock', () => {
  it('C17: fires beyond the host timers, a negative delay at once, and refuses NaN and Infinity', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.schedule(2 ** 31 + 5, () => fired.push('late'));
    clock.schedule(-1, () => fired.push('now'));
    expect(() => clock.schedule(Number.NaN, () => {})).toThrow(RangeError);
    expect(() => clock.schedule(Number.POSITIVE_INFINITY, () => {})).toThrow(RangeError);
    await clock.advance(2 ** 31);
    expect(fired).toEqual(['now']);
    await clock.advance(5);
    expect(fired).toEqual(['now', 'late']);
    expect(clock.timers).toBe(0);
  });

  it('fires in the order of times, also timers that are armed on the way, each seeing its own time', async () => {
    const clock = new VirtualClock();
    const seen: [string, number][] = [];
    clock.schedule(20, () => seen.push(['b', clock.monotonicMs()]));
    clock.schedule(10, async () => {
      seen.push(['a', clock.monotonicMs()]);
      await sleep(clock, 5);
      seen.push(['a2', clock.monotonicMs()]);
    });
    const cancelled = clock.schedule(12, () => seen.push(['never', clock.monotonicMs()]));
    cancelled.cancel();
    await clock.advance(30);
    expect(seen).toEqual([
      ['a', 10],
      ['a2', 15],
      ['b', 20],
    ]);
    expect(clock.monotonicMs()).toBe(30);
  });

  it('tells when the next timer is due', async () => {
    const clock = new VirtualClock();
    expect(clock.nextTimerInMs).toBeUndefined();
    clock.schedule(30, () => undefined);
    const sooner = clock.schedule(20, () => undefined);
    await clock.advance(5);
    expect(clock.nextTimerInMs).toBe(15);
    sooner.cancel();
    expect(clock.nextTimerInMs).toBe(25);
  });

  it('shows a wall clock that follows', async () => {
    const clock = new VirtualClock();
    await clock.advance(1500.5);
    expect(clock.now().toString()).toBe('2000-01-01T00:00:01.5005Z');
  });
});
