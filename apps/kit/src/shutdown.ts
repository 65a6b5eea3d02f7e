import { constants } from 'node:os';
import type { Logger } from '@cosi-ts/runtime';
import { type Clock, systemClock } from '@cosi-ts/state';

/** npm passes a Ctrl-C on that the terminal has sent to the process already: both count as one. */
const sameSignalMs = 300;
/** What is left so long after the end is ended with the process. */
const patienceMs = 1500;

export interface StopOptions {
  readonly clock?: Clock;
  /** Default: this process. */
  readonly host?: Pick<NodeJS.Process, 'on' | 'exit'>;
  /** What ends the process as a signal does: it resolves, and never rejects. Default: nothing. */
  readonly orWhen?: Promise<unknown>;
}

/**
 * Runs `end` when the process is asked to stop, by SIGINT, SIGTERM or SIGHUP. Asked again, the process stops at once.
 * Resolves when the end has come.
 */
export async function stopOnSignals(
  end: () => Promise<void>,
  logger: Logger,
  { clock = systemClock, host = process, orWhen }: StopOptions = {},
): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let askedAtMs: number | undefined;
  await new Promise<void>((resolve) => {
    const onSignal = (signal: (typeof signals)[number]) => {
      const now = clock.monotonicMs();
      if (askedAtMs === undefined) {
        askedAtMs = now;
        logger.info({ signal }, 'stopping; the same again stops at once');
        resolve();
      } else if (now - askedAtMs > sameSignalMs) {
        host.exit(128 + constants.signals[signal]);
      }
    };
    for (const signal of signals) host.on(signal, onSignal);
    void orWhen?.then(() => {
      askedAtMs ??= clock.monotonicMs();
      resolve();
    });
  });
  await end();
}

/** Ends the process should anything be left that keeps it alive, and says so. */
export function endSoon(logger: Logger): void {
  // The app is over: there is no clock to be asked any more.
  const timer = setTimeout(() => {
    logger.warn({ left: process.getActiveResourcesInfo() }, 'something was left running');
    process.exit();
  }, patienceMs);
  timer.unref();
}
