import type { DataOptions, LoggerOptions, ServerOptions } from '@cosi-ts/app-kit';
import type { RetentionLimits } from './engine/retention.js';

/** Everything that can be set about the app. */
export interface AppOptions extends ServerOptions {
  /** How resources are kept. Undefined: in memory, until the process ends; logs are in a temporary folder then. */
  readonly data: DataOptions | undefined;
  /** How many steps of a kind are executed at once, by the name of the executor. */
  readonly slots: Readonly<Record<string, number>>;
  /** How long what is asked to end has for that. */
  readonly graceMs: number;
  /** Which runs are kept after their end. */
  readonly retention: RetentionLimits;
  readonly log: LoggerOptions;
  /** The folder of the built page; undefined: no page. */
  readonly page: string | undefined;
}

export const defaultGraceMs = 10_000;
