import type { Logger } from '@cosi-ts/runtime';

interface LogRecord {
  readonly level: string;
  readonly facts: object;
  readonly message: string | undefined;
}

/** Keeps what is logged: warnings and errors apart, so that a test can say that there was none. */
export class RecordingLogger implements Logger {
  constructor(
    readonly records: LogRecord[] = [],
    readonly notes: LogRecord[] = [],
  ) {}

  debug = () => undefined;
  info = (facts: object, message?: string) => void this.notes.push({ level: 'info', facts, message });
  warn = (facts: object, message?: string) => void this.records.push({ level: 'warn', facts, message });
  error = (facts: object, message?: string) => void this.records.push({ level: 'error', facts, message });
  child = () => new RecordingLogger(this.records, this.notes);
}
