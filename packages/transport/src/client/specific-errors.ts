import {
  AlreadyExistsError,
  ClosedError,
  ConflictError,
  CorruptError,
  CosiError,
  DeniedError,
  type ErrorCode,
  type ErrorDetails,
  InUseError,
  InvalidArgumentError,
  InvalidBookmarkError,
  NotFoundError,
  OverrunError,
  OwnerConflictError,
  PendingFinalizersError,
  PhaseConflictError,
  ResourceExhaustedError,
  UnauthenticatedError,
  UnavailableError,
  UnknownError,
  UnsupportedError,
  VersionConflictError,
} from '@cosi-ts/resource';
import { DeadlineExceededError } from './deadline-exceeded.js';

// Only what all of them have in common is constructed.
type ErrorClass = { readonly prototype: CosiError; readonly name: string };

const classes: Readonly<Partial<Record<ErrorCode, ErrorClass>>> = {
  'not-found': NotFoundError,
  'already-exists': AlreadyExistsError,
  'version-conflict': VersionConflictError,
  'owner-conflict': OwnerConflictError,
  'phase-conflict': PhaseConflictError,
  'pending-finalizers': PendingFinalizersError,
  conflict: ConflictError,
  'invalid-argument': InvalidArgumentError,
  'invalid-bookmark': InvalidBookmarkError,
  overrun: OverrunError,
  unsupported: UnsupportedError,
  denied: DeniedError,
  unauthenticated: UnauthenticatedError,
  unavailable: UnavailableError,
  'resource-exhausted': ResourceExhaustedError,
  corrupt: CorruptError,
  'in-use': InUseError,
  closed: ClosedError,
  unknown: UnknownError,
  'transport/deadline-exceeded': DeadlineExceededError,
};

/**
 * The error of a peer, of the class that has its code. The class is given no more than code, message, pointer and cause:
 * the fields that some have beside these do not cross the wire, and are undefined.
 */
export function specificError(code: ErrorCode, message: string, details: ErrorDetails): CosiError {
  return Reflect.construct(CosiError, [code, message, details], (classes[code] ?? CosiError) as typeof CosiError);
}
