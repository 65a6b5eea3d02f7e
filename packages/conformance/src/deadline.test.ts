import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { within } from './deadline.js';

describe('waiting with a deadline', () => {
  it('gives what the promise gives, and leaves no timer', async () => {
    const clock = new VirtualClock();
    await expect(within({ clock, waitMs: 10 }, Promise.resolve('it'), 'it')).resolves.toBe('it');
    await expect(within({ clock, waitMs: 10 }, Promise.reject(new Error('no')), 'it')).rejects.toThrow('no');
    expect(clock.timers).toBe(0);
  });

  it('says what it waited for in vain', async () => {
    const clock = new VirtualClock();
    let seen = 'nothing';
    const waiting = within({ clock, waitMs: 10 }, new Promise(() => undefined), () => `an event after ${seen}`);
    seen = 'created a@1';
    const failed = expect(waiting).rejects.toThrow('waited 10 ms in vain for an event after created a@1');
    await clock.advance(10);
    await failed;
  });
});
