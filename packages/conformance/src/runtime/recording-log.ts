import type { Logger, LogLevel } from '@cosi-ts/runtime';

export interface LogRecord {
  readonly level: LogLevel;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its records. */
export class RecordingLog implements Logger {
  readonly records: LogRecord[];
  readonly #bound: Readonly<Record<string, unknown>>;

  constructor(records: LogRecord[] = [], bound: Readonly<Record<string, unknown>> = {}) {
    this.records = records;
    this.#bound = bound;
  }

  readonly debug = (facts: object) => this.#add('debug', facts);
  readonly info = (facts: object) => this.#add('info', facts);
  readonly warn = (facts: object) => this.#add('warn', facts);
  readonly error = (facts: object) => this.#add('error', facts);

  child(facts: Record<string, unknown>): Logger {
    return new RecordingLog(this.records, { ...this.#bound, ...facts });
  }

  /** The errors that were logged with the name of that controller. */
  errorsOf(controller: string): readonly Readonly<Record<string, unknown>>[] {
    return this.records
      .filter(({ level, facts }) => level === 'error' && facts.controller === controller)
      .map(({ facts }) => facts);
  }

  #add(level: LogLevel, facts: object): void {
    this.records.push({ level, facts: { ...this.#bound, ...facts } });
  }
}
