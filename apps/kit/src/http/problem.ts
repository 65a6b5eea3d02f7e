import { STATUS_CODES } from 'node:http';
import {
  type CosiError,
  isAlreadyExists,
  isClosed,
  isConflict,
  isCosiError,
  isInvalidArgument,
  isNotFound,
  isPhaseConflict,
  isResourceExhausted,
  isUnavailable,
} from '@cosi-ts/resource';
import { FieldError } from '../specs/field-error.js';

export interface ProblemDetails {
  /** The field of the request that is wrong. */
  readonly field?: string | undefined;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** What else there is to know, beside the standard fields. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An answer that says no, thrown from anywhere below a route. */
export class Problem extends Error {
  readonly field: string | undefined;
  readonly hint: string | undefined;
  readonly more: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly status: number,
    /** Stable: clients branch on it. */
    readonly code: string,
    message: string,
    details: ProblemDetails = {},
  ) {
    super(message);
    this.name = 'Problem';
    this.field = details.field;
    this.hint = details.hint;
    this.more = details.more ?? {};
    this.headers = details.headers ?? {};
  }

  toJSON(): unknown {
    const { code, message, field, hint, more } = this;
    return {
      error: {
        code,
        message,
        ...(field === undefined ? {} : { field }),
        ...(hint === undefined ? {} : { hint }),
        ...more,
      },
    };
  }

  /** The form of RFC 9457, for `application/problem+json`: `detail` is the message; `code`, `hint` and `field` are our own. */
  toProblemJson(): unknown {
    const { status, code, message, field, hint, more } = this;
    const title = STATUS_CODES[status] ?? 'Error';
    return {
      type: 'about:blank',
      title,
      status,
      detail: message,
      code,
      ...(field === undefined ? {} : { field }),
      ...(hint === undefined ? {} : { hint }),
      ...more,
    };
  }
}

/**
 * What a client is told of an error. Undefined: it is none of its business.
 *
 * @param nameOf what users call a type of resources
 */
export function problemOf(error: unknown, nameOf: (type: string) => string): Problem | undefined {
  if (error instanceof Problem) return error;
  if (!isCosiError(error)) return undefined;
  const status = statusOf(error);
  if (status === undefined) return undefined;
  return new Problem(status, error.code, messageOf(error, nameOf), { field: fieldOf(error), hint: hintOf(error) });
}

function statusOf(error: CosiError): number | undefined {
  if (isNotFound(error)) return 404;
  if (isConflict(error)) return 409;
  if (isInvalidArgument(error)) return 400;
  // The disk is full: all else that the state needs is memory.
  if (isResourceExhausted(error)) return 507;
  if (isUnavailable(error) || isClosed(error)) return 503;
  return undefined;
}

function messageOf(error: CosiError, nameOf: (type: string) => string): string {
  const { subject } = error;
  const what = subject !== undefined && 'id' in subject ? `${nameOf(subject.type)} ${JSON.stringify(subject.id)}` : '';
  if (what !== '' && isNotFound(error)) return `there is no ${what}`;
  if (what !== '' && isAlreadyExists(error)) return `there is a ${what} already`;
  if (what !== '' && isPhaseConflict(error)) return `${what} is being deleted`;
  return error.message;
}

function fieldOf(error: CosiError): string | undefined {
  if (error instanceof FieldError) return error.field;
  if (!isInvalidArgument(error)) return undefined;
  const path = (error as { readonly path?: readonly (string | number)[] }).path;
  return path === undefined || path.length === 0 ? undefined : path.join('.');
}

function hintOf(error: CosiError): string | undefined {
  if (isAlreadyExists(error)) return 'take another id, or change what is there with PATCH';
  if (isPhaseConflict(error)) return 'wait until it is gone';
  if (isResourceExhausted(error)) return 'make room on the disk of the data folder, and try again';
  return undefined;
}
