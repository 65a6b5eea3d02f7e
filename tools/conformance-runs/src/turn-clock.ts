import { setImmediate } from 'node:timers';
import { type Clock, checkDelay, systemClock } from '@cosi-ts/state';

/**
 * A clock on which a millisecond is one turn of the event loop in which everything that was ready has run. Waiting in
 * vain, which tests of broken states do all the time, costs next to nothing; and a machine that is busy with something
 * else cannot make a wait too short.
 */
const turnClock: Clock = {
  now: () => systemClock.now(),
  monotonicMs: () => systemClock.monotonicMs(),
  schedule(delayMs, callback) {
    let left = Math.ceil(checkDelay(delayMs));
    let cancelled = false;
    const turn = () => {
      if (cancelled) return;
      if (left-- > 0) setImmediate(turn);
      else callback();
    };
    turn();
    return {
      cancel: () => {
        cancelled = true;
      },
    };
  },
};

/** Deadlines in turns of that clock: far more than any state in memory needs. */
export const impatient = Object.freeze({ clock: turnClock, waitMs: 60, testMs: 4000 });
