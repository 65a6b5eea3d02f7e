import type { Clock } from '@cosi-ts/state';
import { ConformanceError } from './assertions.js';

/** How long tests wait for what has to come. */
export interface Deadline {
  readonly clock: Clock;
  readonly waitMs: number;
}

/** What the promise gives, or an error that says what was waited for when it does not settle in time. */
export function within<T>(deadline: Deadline, promise: Promise<T>, waitingFor: string | (() => string)): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = deadline.clock.schedule(deadline.waitMs, () => {
      const what = typeof waitingFor === 'string' ? waitingFor : waitingFor();
      reject(new ConformanceError(`waited ${deadline.waitMs} ms in vain for ${what}`));
    });
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}
