import { Cron } from 'croner';

/** What a schedule comes to at some time. */
export interface CronTimes {
  /** The latest of its times that is not later; undefined: there was none. */
  readonly lastMs: number | undefined;
  /** The first of its times that is later; undefined: there will be none. */
  readonly nextMs: number | undefined;
}

/**
 * The times of a cron expression of five fields around a time. Throws an error for what is no such expression, and for a
 * time zone that is not known.
 */
export function cronTimes(expression: string, timeZone: string, nowMs: number): CronTimes {
  const cron = new Cron(expression, { timezone: timeZone === '' ? 'UTC' : timeZone, mode: '5-part' });
  // The millisecond is for times that are just now.
  const [last] = cron.previousRuns(1, new Date(nowMs + 1));
  return { lastMs: last?.getTime(), nextMs: cron.nextRun(new Date(nowMs))?.getTime() };
}
