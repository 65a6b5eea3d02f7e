import type { Inbox, RunSession } from './run-session.js';
import type { StatusWriter } from './status-writer.js';

/** A run that is not over, as far as this process knows it. */
export interface OpenRun {
  readonly inbox: Inbox;
  readonly status: StatusWriter;
  session: RunSession | undefined;
  /** When it began, once that is known. */
  startedMs: number | undefined;
  /** Whether something of it may have been executed by its definition, at whatever time. */
  readonly hasBegun: boolean;
  retries: number;
}
