import { type Outcome, StopReason } from './executor.js';

type Failure = Extract<Outcome, { state: 'failed' }>;

/** How an attempt ended that was asked to. @param signal has aborted */
export function stoppedOutcome(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof StopReason) return { state: 'failed', reason: reason.reason, message: reason.message };
  return { state: 'failed', reason: 'cancelled', message: messageOf(reason) };
}

/** What an error says, and its causes where it says nothing itself. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.message === '' ? error.name : error.message;
  return error.cause === undefined ? text : `${text}: ${messageOf(error.cause)}`;
}
