import { describe, expect, it, vi } from 'vitest';
import { type Bell, type Sleeper, WakeUps } from './wake-ups.js';

/** Lets so many turns of the microtask queue pass. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await undefined;
}

function sleeper(satisfied = true) {
  return { wake: vi.fn(() => satisfied) } satisfies Sleeper;
}

describe('wake-ups', () => {
  it('W12: a burst of writes wakes each watcher once, and writers visit none', async () => {
    const afterwards = vi.fn();
    const wakeUps = new WakeUps(afterwards);
    const sleepers = [sleeper(), sleeper()];
    for (const each of sleepers) wakeUps.add(each);
    for (let i = 0; i < 40; i++) {
      wakeUps.ring(undefined);
      await turns(2);
    }
    for (const each of sleepers) expect(each.wake).not.toHaveBeenCalled();
    await turns(20);
    for (const each of sleepers) expect(each.wake).toHaveBeenCalledTimes(1);
    expect(afterwards).toHaveBeenCalledTimes(1);
    expect(wakeUps.size).toBe(0);
  });

  it('W14: a burst without end is cut into pieces, by turns and by changes', async () => {
    for (const each of [1, 100]) {
      const wakeUps = new WakeUps(() => undefined);
      const waiting = sleeper(false);
      wakeUps.add(waiting);
      for (let i = 0; i < 2000; i++) {
        for (let change = 0; change < each; change++) wakeUps.ring(undefined);
        await turns(1);
      }
      expect(waiting.wake.mock.calls.length).toBeGreaterThan((2000 * each) / (each === 1 ? 300 : 5000));
    }
  });

  it('keeps those for whom there was nothing', async () => {
    const wakeUps = new WakeUps(() => undefined);
    const waiting = sleeper(false);
    wakeUps.add(waiting);
    wakeUps.ring(undefined);
    await turns(20);
    expect([waiting.wake.mock.calls.length, wakeUps.size]).toEqual([1, 1]);
    wakeUps.delete(waiting);
    wakeUps.ring(undefined);
    await turns(20);
    expect([waiting.wake.mock.calls.length, wakeUps.size]).toEqual([1, 0]);
  });

  it('wakes those at a bell only when it was rung', async () => {
    const wakeUps = new WakeUps(() => undefined);
    const rung: Bell = new Set([sleeper()]);
    const silent: Bell = new Set([sleeper()]);
    wakeUps.ring(rung);
    expect([wakeUps.pending(), wakeUps.pending(rung), wakeUps.pending(silent)]).toEqual([true, true, false]);
    await turns(20);
    expect([rung.size, silent.size]).toEqual([0, 1]);
    expect([wakeUps.pending(), wakeUps.pending(rung)]).toEqual([false, false]);
  });
});
