import { followAbort, type Subject } from '@cosi-ts/resource';
import { sleep, systemClock } from '@cosi-ts/state';
import { ExpectationError } from './expectation-error.js';
import { indented, messageOf } from './shown.js';
import { resolveUntilOptions, type UntilOptions } from './until-options.js';

/** Throws, or returns false, when what it is given is not as it should be. */
export type Check<V> = (value: V) => unknown;

/** Something that changes, and is to become as it should be. */
export interface Expectation<V> {
  readonly subject: Subject;
  /** What should have come about, for people: `Lamps(home/desk) to be gone`. */
  readonly what: string;
  /** Gives what is there now, and then each change of it. Ends with the signal; rejects when it breaks. */
  observe(signal: AbortSignal): AsyncIterable<V>;
  readonly check: Check<V>;
  show(value: V): string;
}

/** A watch that broke is made anew after so long. */
const breakMs = 50;

/**
 * Waits until the check holds, and gives what it held for.
 *
 * @throws `testing/expectation` when it does not in time: with the last mismatch, and with what is there
 */
export async function until<V>(expectation: Expectation<V>, options: UntilOptions = {}): Promise<V> {
  const { timeoutMs, clock, signal } = resolveUntilOptions(options);
  signal?.throwIfAborted();
  const progress: Progress<V> = { latest: undefined, mismatch: undefined };
  const over = new AbortController();
  const timer = clock.schedule(timeoutMs, () => over.abort(timedOut(expectation, progress, timeoutMs)));
  const unfollow = signal && followAbort(signal, (reason) => over.abort(reason));
  try {
    return await Promise.race([follow(expectation, progress, over.signal), rejectedBy(over.signal)]);
  } finally {
    timer.cancel();
    unfollow?.();
    over.abort();
  }
}

interface Progress<V> {
  latest: { readonly value: V } | undefined;
  mismatch: { readonly error: unknown } | undefined;
}

async function follow<V>(expectation: Expectation<V>, progress: Progress<V>, signal: AbortSignal): Promise<V> {
  for (;;) {
    try {
      for await (const value of expectation.observe(signal)) {
        progress.latest = { value };
        if (await holds(expectation, progress, value)) return value;
        signal.throwIfAborted();
      }
      progress.mismatch = { error: new Error('the watch ended') };
    } catch (error) {
      signal.throwIfAborted();
      progress.mismatch = { error };
    }
    await sleep(systemClock, breakMs, signal);
  }
}

async function holds<V>({ check }: Expectation<V>, progress: Progress<V>, value: V): Promise<boolean> {
  try {
    if ((await check(value)) !== false) return true;
    progress.mismatch = { error: new Error('the check returned false') };
  } catch (error) {
    progress.mismatch = { error };
  }
  return false;
}

function timedOut<V>({ subject, what, show }: Expectation<V>, progress: Progress<V>, timeoutMs: number) {
  const { latest, mismatch } = progress;
  const lines = [`expected ${what} within ${timeoutMs} ms`];
  if (mismatch !== undefined) lines.push('last mismatch:', indented(messageOf(mismatch.error)));
  lines.push(
    'what is there:',
    indented(latest === undefined ? 'not known: the state did not answer' : show(latest.value)),
  );
  return new ExpectationError(lines.join('\n'), {
    subject,
    ...(mismatch === undefined ? {} : { cause: mismatch.error }),
  });
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
}
