import { type ErrorCode, InvalidBookmarkError, isCosiError, isOverrun, type Subject } from '@cosi-ts/resource';
import type { Start } from './start.js';

/** Answers that asking again would not change. */
const refusing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid-argument',
  'unsupported',
  'denied',
  'unauthenticated',
]);

/** Answers that say that events after the bookmark are no longer kept, or that it is no bookmark. */
const refusingBookmark: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['invalid-bookmark', 'overrun']);

/** Whether the error with which a stream could not be established ends the watch. All others may pass. */
export function isRefusal(error: unknown, start: Start): boolean {
  if (!isCosiError(error)) return false;
  return refusing.has(error.code) || (start.bookmark !== undefined && refusingBookmark.has(error.code));
}

/** What an error means that comes as the first event after a bookmark: some peers tell so that they refuse it. */
export function refusedBookmark(error: Error, subject: Subject): Error {
  if (isOverrun(error) || (isCosiError(error) && error.code === 'invalid-bookmark')) return error;
  return new InvalidBookmarkError(error.message, { subject, cause: error });
}
