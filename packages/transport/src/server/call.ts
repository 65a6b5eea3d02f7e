import type { CallContext } from '@cosi-ts/state';

/** What a handler knows of a call beside its request. */
export interface Call {
  /** Aborts when the caller gives up or is gone, when the deadline passes, and when the server wants the call to end. */
  readonly signal: AbortSignal;
  readonly context: CallContext;
  /** Resolves when the answer has been sent, or can't be sent any more. */
  readonly answered: Promise<void>;
  /** How much may be put into one message now where it could be less: little when the client leaves much untaken. */
  readonly batchBytes: () => number;
}
