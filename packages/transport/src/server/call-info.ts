import { createContextKey } from '@connectrpc/connect';
import type { CallContext } from '@cosi-ts/state';

/** What the connection knows of a call, handed through the RPC library to the handlers. */
export interface CallInfo {
  readonly context: CallContext;
  readonly answered: Promise<void>;
}

export const callInfoKey = createContextKey<CallInfo>(
  { context: {}, answered: Promise.resolve() },
  { description: 'what the connection knows of the call' },
);
