import type { Phase } from './phase.js';
import { type Kind, type Pointer, pointerText } from './pointer.js';
import type { Version } from './version.js';

/**
 * Stable names of what can go wrong. They are API: branch on them (or on the guards), never on messages.
 * A package adds codes of its own with a prefix, for instance `keystorage/slot-exists`.
 */
export type ErrorCode =
  | 'not-found'
  | 'already-exists'
  | 'version-conflict'
  | 'owner-conflict'
  | 'phase-conflict'
  | 'pending-finalizers'
  | 'conflict'
  | 'invalid-argument'
  | 'invalid-bookmark'
  | 'overrun'
  | 'unsupported'
  | 'denied'
  | 'unauthenticated'
  | 'unavailable'
  | 'resource-exhausted'
  | 'corrupt'
  | 'in-use'
  | 'closed'
  | 'unknown'
  | (`${string}/${string}` & {});

/** What an error concerns: a resource, or a whole kind when there is no id. */
export type Subject = Pointer | Kind;

export interface ErrorDetails {
  readonly subject?: Subject | undefined;
  readonly cause?: unknown;
}

/** Recognised by every copy of this package in a process, which `instanceof` is not. */
const brand: unique symbol = Symbol.for('@cosi-ts/error') as never;

/** The base of every error of this system. */
export class CosiError extends Error {
  readonly code: ErrorCode;
  /** The resource or kind concerned, where there is one. */
  readonly subject: Subject | undefined;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.subject = details.subject === undefined ? undefined : subjectOf(details.subject);
    this.name = new.target.name;
  }
}

/** A copy: what is given may be metadata, a typed pointer, or an object that its owner changes later. */
function subjectOf(subject: Subject): Subject {
  const { namespace, type } = subject;
  return Object.freeze('id' in subject ? { namespace, type, id: subject.id } : { namespace, type });
}

/** True for errors of this package, also those of another copy of it. */
export function isCosiError(error: unknown): error is CosiError {
  return typeof error === 'object' && error !== null && (error as { [brand]?: unknown })[brand] === true;
}

export class NotFoundError extends CosiError {
  constructor(pointer: Pointer, details: ErrorDetails = {}) {
    super('not-found', `resource ${pointerText(pointer)} doesn't exist`, { subject: pointer, ...details });
  }
}

export class AlreadyExistsError extends CosiError {
  constructor(pointer: Pointer, details: ErrorDetails = {}) {
    super('already-exists', `resource ${pointerText(pointer)} already exists`, { subject: pointer, ...details });
  }
}

/** Of errors that come from a peer the fields are undefined: it says in its message only what is in them. */
export class VersionConflictError extends CosiError {
  constructor(
    pointer: Pointer,
    readonly given: Version,
    readonly stored: Version,
    details: ErrorDetails = {},
  ) {
    super(
      'version-conflict',
      `resource ${pointerText(pointer)} has version ${stored}, the change was made to version ${given}`,
      { subject: pointer, ...details },
    );
  }
}

/** Of errors that come from a peer the fields are undefined: it says in its message only what is in them. */
export class OwnerConflictError extends CosiError {
  /** Who owns the resource; empty when nobody does. */
  readonly owner: string | undefined;
  /** On whose behalf the call was made; empty when on nobody's. */
  readonly given: string | undefined;

  constructor(pointer: Pointer, owner: string, given: string, details: ErrorDetails = {}) {
    super(
      'owner-conflict',
      `resource ${pointerText(pointer)} is owned by ${JSON.stringify(owner)}, not by ${JSON.stringify(given)}`,
      { subject: pointer, ...details },
    );
    this.owner = owner;
    this.given = given;
  }
}

/** Of errors that come from a peer the fields are undefined: it says in its message only what is in them. */
export class PhaseConflictError extends CosiError {
  readonly phase: Phase | undefined;
  readonly expected: Phase | undefined;

  constructor(pointer: Pointer, phase: Phase, expected: Phase, details: ErrorDetails = {}) {
    super('phase-conflict', `resource ${pointerText(pointer)} is in phase ${phase}, expected ${expected}`, {
      subject: pointer,
      ...details,
    });
    this.phase = phase;
    this.expected = expected;
  }
}

export class PendingFinalizersError extends CosiError {
  /** Undefined in errors that come from a peer: it says them in its message only. */
  readonly finalizers: readonly string[] | undefined;

  constructor(pointer: Pointer, finalizers: readonly string[], details: ErrorDetails = {}) {
    super('pending-finalizers', `resource ${pointerText(pointer)} has pending finalizers: ${finalizers.join(', ')}`, {
      subject: pointer,
      ...details,
    });
    this.finalizers = finalizers;
  }
}

/** A conflict of which a peer's answer does not say the kind. */
export class ConflictError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('conflict', message, details);
  }
}

export class InvalidArgumentError extends CosiError {
  /** Which part of a spec is wrong, where that is known: keys of objects and indices of lists. */
  readonly path: readonly (string | number)[] | undefined;

  constructor(
    message: string,
    details: ErrorDetails & { readonly path?: readonly (string | number)[] | undefined } = {},
  ) {
    super('invalid-argument', message, details);
    this.path = details.path === undefined ? undefined : Object.freeze([...details.path]);
  }
}

export class InvalidBookmarkError extends CosiError {
  constructor(reason: string, details: ErrorDetails = {}) {
    super('invalid-bookmark', `invalid bookmark: ${reason}`, details);
  }
}

/**
 * A watcher fell behind by more than the history keeps. Positions and capacity count events. Of errors that come from a
 * peer the fields are undefined: it says in its message only what is in them.
 */
export class OverrunError extends CosiError {
  readonly position: bigint | undefined;
  readonly writePosition: bigint | undefined;
  readonly capacity: number | undefined;

  constructor(kind: Kind, position: bigint, writePosition: bigint, capacity: number, details: ErrorDetails = {}) {
    super(
      'overrun',
      `buffer overrun: namespace ${JSON.stringify(kind.namespace)} type ${JSON.stringify(kind.type)}: ` +
        `the watch is at position ${position}, the writer at ${writePosition}, ${capacity} events are kept`,
      { subject: { namespace: kind.namespace, type: kind.type }, ...details },
    );
    this.position = position;
    this.writePosition = writePosition;
    this.capacity = capacity;
  }
}

export class UnsupportedError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('unsupported', message, details);
  }
}

/** Refused by an access rule. */
export class DeniedError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('denied', message, details);
  }
}

/** The caller did not prove who it is. */
export class UnauthenticatedError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('unauthenticated', message, details);
  }
}

/** Whoever could answer can't be reached or can't answer now. */
export class UnavailableError extends CosiError {
  /**
   * True of a write whose answer was lost: it may have had its effect, may have it yet, or may never have it. See
   * `isOutcomeUnknown`. Does not cross the wire.
   */
  readonly outcomeUnknown: boolean;

  constructor(message: string, details: ErrorDetails & { readonly outcomeUnknown?: boolean | undefined } = {}) {
    super('unavailable', message, details);
    this.outcomeUnknown = details.outcomeUnknown ?? false;
  }
}

/** A limit was reached, which the message names: the size of a message, a quota, the room on a disk. */
export class ResourceExhaustedError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('resource-exhausted', message, details);
  }
}

/** Stored or received bytes that cannot be what they claim to be. */
export class CorruptError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('corrupt', message, details);
  }
}

/** What can be open once only, a store for instance, is open already. */
export class InUseError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('in-use', message, details);
  }
}

/** Used after `close()`. */
export class ClosedError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('closed', message, details);
  }
}

/** An error of a peer of which its answer says no more. */
export class UnknownError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('unknown', message, details);
  }
}
