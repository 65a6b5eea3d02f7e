import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './clock.js';
import { checkDelay, maxHostDelayMs, sleep } from './delay.js';

describe('delays', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('C17: a delay longer than host timers hold is kept', () => {
    const fired = vi.fn();
    const month = 31 * 24 * 3_600_000;
    expect(month).toBeGreaterThan(maxHostDelayMs);
    systemClock.schedule(month, fired);
    vi.advanceTimersByTime(month - 1);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledOnce();
  });

  it('C17: a long delay can be cancelled in each of its parts', () => {
    const fired = vi.fn();
    for (const passedMs of [0, maxHostDelayMs - 1, maxHostDelayMs + 1]) {
      const timer = systemClock.schedule(2 * maxHostDelayMs, fired);
      vi.advanceTimersByTime(passedMs);
      timer.cancel();
      vi.advanceTimersByTime(3 * maxHostDelayMs);
    }
    expect(fired).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('C17: a negative delay is none', () => {
    const fired = vi.fn();
    systemClock.schedule(-5, fired);
    vi.advanceTimersByTime(0);
    expect(fired).toHaveBeenCalledOnce();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('C17: %s is refused', (delayMs) => {
    expect(() => checkDelay(delayMs)).toThrow(RangeError);
    expect(() => systemClock.schedule(delayMs, () => {})).toThrow(RangeError);
  });

  it('C17: an aborted sleep rejects with the reason and leaves no timer and no listener', async () => {
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, 'addEventListener');
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const sleeping = sleep(systemClock, 1000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
    expect(added).toHaveBeenCalledOnce();
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual([added.mock.calls[0]?.[1]]);
    await expect(sleep(systemClock, 10, controller.signal)).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('C17: a sleep that ends takes its listener away', async () => {
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, 'addEventListener');
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const sleeping = sleep(systemClock, 10, controller.signal);
    vi.advanceTimersByTime(10);
    await sleeping;
    expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1]);
  });
});
