import { VirtualClock } from '@cosi-ts/state';
import { beforeEach, describe, expect, it } from 'vitest';
import { Keepalive } from './keepalive.js';

const times = { intervalMs: 10_000, timeoutMs: 5000, unknownIntervalMs: 310_000 };

describe('Keepalive', () => {
  let clock: VirtualClock;
  let keepalive: Keepalive;
  /** When pings were sent. */
  let pings: number[];
  let ended: number | undefined;
  let answers: boolean;
  const pinged = {
    bytesRead: 0,
    ping() {
      pings.push(clock.monotonicMs());
      if (answers) this.bytesRead += 17;
    },
    end() {
      ended = clock.monotonicMs();
      keepalive.stop();
    },
  };

  beforeEach(() => {
    clock = new VirtualClock();
    keepalive = new Keepalive(times, clock, pinged);
    pings = [];
    ended = undefined;
    answers = true;
  });

  it('N4: a server of ours is sent a ping every 10 s, while streams are open', async () => {
    keepalive.opened();
    keepalive.answered(true);
    await clock.advance(35_000);
    expect(pings).toEqual([10_000, 20_000, 30_000]);
    keepalive.closed();
    await clock.advance(1_000_000);
    expect([pings.length, clock.timers, ended]).toEqual([3, 0, undefined]);
  });

  it('N4: one that falls silent is noticed 5 s after the ping', async () => {
    keepalive.opened();
    keepalive.answered(true);
    await clock.advance(10_001);
    answers = false;
    await clock.advance(100_000);
    expect([pings, ended, clock.timers]).toEqual([[10_000, 20_000], 25_000, 0]);
  });

  it('N4: whatever comes is a sign of life', async () => {
    answers = false;
    keepalive.opened();
    keepalive.answered(true);
    await clock.advance(14_999);
    pinged.bytesRead++;
    await clock.advance(5002);
    expect([pings, ended]).toEqual([[10_000, 20_000], undefined]);
  });

  it('N4: a connection that was not used for long is tried at once', async () => {
    keepalive.opened();
    keepalive.answered(true);
    keepalive.closed();
    await clock.advance(3_600_000);
    answers = false;
    keepalive.opened();
    await clock.advance(5000);
    expect([pings, ended]).toEqual([[3_600_000], 3_605_000]);
  });

  it('N4: an unknown peer is sent a ping every 5 min 10 s, and none without open streams', async () => {
    keepalive.opened();
    keepalive.answered(false);
    await clock.advance(309_999);
    expect(pings).toEqual([]);
    await clock.advance(310_001);
    expect(pings).toEqual([310_000, 620_000]);
    keepalive.closed();
    await clock.advance(10_000_000);
    expect(pings).toHaveLength(2);
    answers = false;
    keepalive.opened();
    await clock.advance(5000);
    expect([pings.length, ended]).toEqual([3, 10_625_000]);
  });

  it('N4: a peer that has answered nothing is sent one early ping', async () => {
    keepalive.opened();
    await clock.advance(310_000);
    expect(pings).toEqual([10_000]);
    await clock.advance(10_000);
    expect(pings).toEqual([10_000, 320_000]);
    keepalive.answered(true);
    await clock.advance(10_000);
    expect(pings).toEqual([10_000, 320_000, 330_000]);
  });

  it('N4: a peer that is silent from the start is noticed after 15 s', async () => {
    answers = false;
    keepalive.opened();
    await clock.advance(20_000);
    expect(ended).toBe(15_000);
  });
});
