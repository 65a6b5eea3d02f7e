import type { DataOptions, LoggerOptions, ServerOptions } from '@cosi-ts/app-kit';

/** How long runs that are over are kept. What goes first is what ended first. */
export interface RetentionOptions {
  /** So many of them, nested runs not counted. Undefined: any number. */
  readonly maxRuns: number | undefined;
  /** Undefined: of any age. */
  readonly maxAgeMs: number | undefined;
}

/** Everything that can be set about the app. */
export interface AppOptions extends ServerOptions {
  /** How resources are kept. Undefined: in memory, until the process ends; logs are in a temporary folder then. */
  readonly data: DataOptions | undefined;
  /** How many steps of a kind are executed at once, by the name of the executor. */
  readonly slots: Readonly<Record<string, number>>;
  /** How long what is asked to end has for that. */
  readonly graceMs: number;
  readonly retention: RetentionOptions;
  readonly log: LoggerOptions;
  /** The folder of the built page; undefined: no page. */
  readonly page: string | undefined;
}

export const defaultRetention: RetentionOptions = Object.freeze({ maxRuns: 1000, maxAgeMs: 30 * 24 * 3600 * 1000 });
export const defaultGraceMs = 10_000;
