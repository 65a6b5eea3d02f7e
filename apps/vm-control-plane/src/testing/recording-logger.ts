import type { Logger } from '@cosi-ts/runtime';

/** Keeps what is logged as a warning or an error, so that a test can say that nothing was. */
export class RecordingLogger implements Logger {
  readonly records: { readonly level: string; readonly facts: object; readonly message: string | undefined }[];

  constructor(records: RecordingLogger['records'] = []) {
    this.records = records;
  }

  debug = () => undefined;
  info = () => undefined;
  warn = (facts: object, message?: string) => void this.records.push({ level: 'warn', facts, message });
  error = (facts: object, message?: string) => void this.records.push({ level: 'error', facts, message });
  child = () => new RecordingLogger(this.records);
}
