import { createContextKey } from '@connectrpc/connect';
import type { CallContext } from '@cosi-ts/state';
import { CallRecord } from './call-record.js';
import { UnsentBytes } from './unsent-bytes.js';

/** What the connection knows of a call, handed through the RPC library to the handlers. */
export interface CallInfo {
  readonly context: CallContext;
  readonly answered: Promise<void>;
  readonly record: CallRecord;
  /** What the streams of the connection hold that has not been sent. */
  readonly unsent: UnsentBytes;
}

export const callInfoKey = createContextKey<CallInfo>(
  { context: {}, answered: Promise.resolve(), record: new CallRecord('', '', 0), unsent: new UnsentBytes() },
  { description: 'what the connection knows of the call' },
);
