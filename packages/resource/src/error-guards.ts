import { type CosiError, type ErrorCode, isCosiError, type Subject } from './errors.js';

const conflicts: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'already-exists',
  'version-conflict',
  'owner-conflict',
  'phase-conflict',
  'pending-finalizers',
  'conflict',
]);

/** Narrows a conflict guard to conflicts about one namespace or type. */
export interface ConflictScope {
  readonly namespace?: string;
  readonly type?: string;
}

/** True when the error is one of this system with that code. */
export function hasCode(error: unknown, code: ErrorCode): error is CosiError {
  return isCosiError(error) && error.code === code;
}

function within(subject: Subject | undefined, scope: ConflictScope): boolean {
  if (scope.namespace !== undefined && subject?.namespace !== scope.namespace) return false;
  return scope.type === undefined || subject?.type === scope.type;
}

/** Any conflict: a version, owner or phase that differs, an id that is taken, finalizers that are pending. */
export function isConflict(error: unknown, scope: ConflictScope = {}): error is CosiError {
  return isCosiError(error) && conflicts.has(error.code) && within(error.subject, scope);
}

export const isNotFound = (error: unknown): error is CosiError => hasCode(error, 'not-found');
export const isAlreadyExists = (error: unknown): error is CosiError => hasCode(error, 'already-exists');
export const isVersionConflict = (error: unknown): error is CosiError => hasCode(error, 'version-conflict');
export const isOwnerConflict = (error: unknown): error is CosiError => hasCode(error, 'owner-conflict');
export const isPhaseConflict = (error: unknown): error is CosiError => hasCode(error, 'phase-conflict');
export const isPendingFinalizers = (error: unknown): error is CosiError => hasCode(error, 'pending-finalizers');
export const isInvalidArgument = (error: unknown): error is CosiError => hasCode(error, 'invalid-argument');
export const isInvalidBookmark = (error: unknown): error is CosiError => hasCode(error, 'invalid-bookmark');
export const isOverrun = (error: unknown): error is CosiError => hasCode(error, 'overrun');
export const isUnsupported = (error: unknown): error is CosiError => hasCode(error, 'unsupported');
export const isDenied = (error: unknown): error is CosiError => hasCode(error, 'denied');
export const isUnauthenticated = (error: unknown): error is CosiError => hasCode(error, 'unauthenticated');
export const isUnavailable = (error: unknown): error is CosiError => hasCode(error, 'unavailable');
export const isResourceExhausted = (error: unknown): error is CosiError => hasCode(error, 'resource-exhausted');
export const isCorrupt = (error: unknown): error is CosiError => hasCode(error, 'corrupt');
export const isInUse = (error: unknown): error is CosiError => hasCode(error, 'in-use');
export const isClosed = (error: unknown): error is CosiError => hasCode(error, 'closed');

/**
 * Whether a write failed as `unavailable` and may have had its effect all the same: its answer was lost. Who makes it
 * again without having looked may make it twice.
 */
export const isOutcomeUnknown = (error: unknown): error is CosiError =>
  isUnavailable(error) && (error as { readonly outcomeUnknown?: unknown }).outcomeUnknown === true;
