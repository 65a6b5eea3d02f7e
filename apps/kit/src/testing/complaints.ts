import type { LogRecord, RecordingLogger } from '@cosi-ts/testing';

/** Warnings and errors that were logged, so that a test can say that there was none. */
export function complaints({ records }: RecordingLogger): readonly LogRecord[] {
  return records.filter(({ level }) => level === 'warn' || level === 'error');
}
