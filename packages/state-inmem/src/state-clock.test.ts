import { Timestamp } from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { StateClock } from './state-clock.js';

const start = new Timestamp(1000, 999_999_998);

describe('the clock of a state', () => {
  it('R1: a reading not above the last time becomes that time plus 1 ns', () => {
    const clock = new StateClock(new VirtualClock(start));
    expect([clock.next(), clock.next(), clock.next()]).toEqual([
      start,
      new Timestamp(1000, 999_999_999),
      new Timestamp(1001, 0),
    ]);
  });

  it('R1: times are strictly increasing also when the clock goes back', () => {
    const readings = [start, new Timestamp(5, 0), new Timestamp(2000, 0), new Timestamp(1500, 0)];
    const clock = new StateClock(Object.assign(new VirtualClock(), { now: () => readings.shift() ?? start }));
    const times = [clock.next(), clock.next(), clock.next(), clock.next()];
    for (const [i, time] of times.slice(1).entries()) expect(time.compare(times[i] as Timestamp)).toBeGreaterThan(0);
    expect(times[2]).toEqual(new Timestamp(2000, 0));
  });

  it('R1: times come after those that were observed', () => {
    const clock = new StateClock(new VirtualClock(start));
    clock.observe(new Timestamp(3000, 5));
    clock.observe(new Timestamp(2000, 0));
    expect(clock.next()).toEqual(new Timestamp(3000, 6));
  });
});
