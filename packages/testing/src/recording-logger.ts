import type { Logger, LogLevel } from '@cosi-ts/runtime';

export interface LogRecord {
  readonly level: LogLevel;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string | undefined;
}

/** Keeps what is logged, for tests to look at. */
export class RecordingLogger implements Logger {
  /** In the order in which they came, of children too. */
  readonly records: LogRecord[];
  readonly #bound: Readonly<Record<string, unknown>>;

  constructor(records: LogRecord[] = [], bound: Readonly<Record<string, unknown>> = {}) {
    this.records = records;
    this.#bound = bound;
  }

  readonly debug = (facts: object, message?: string) => this.#add('debug', facts, message);
  readonly info = (facts: object, message?: string) => this.#add('info', facts, message);
  readonly warn = (facts: object, message?: string) => this.#add('warn', facts, message);
  readonly error = (facts: object, message?: string) => this.#add('error', facts, message);

  child(facts: Record<string, unknown>): RecordingLogger {
    return new RecordingLogger(this.records, { ...this.#bound, ...facts });
  }

  /** The records of one level. */
  at(level: LogLevel): readonly LogRecord[] {
    return this.records.filter((record) => record.level === level);
  }

  #add(level: LogLevel, facts: object, message: string | undefined): void {
    this.records.push({ level, facts: { ...this.#bound, ...facts }, message });
  }
}
