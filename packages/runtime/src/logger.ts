/** Writes one record: facts first, then what happened. */
export type LogFunction = (facts: object, message?: string) => void;

/** Any logger with the call shape of pino. Errors are given as the fact `err`. */
export interface Logger {
  readonly debug: LogFunction;
  readonly info: LogFunction;
  readonly warn: LogFunction;
  readonly error: LogFunction;
  /** A logger that adds the facts to every record. */
  child(facts: Record<string, unknown>): Logger;
}
