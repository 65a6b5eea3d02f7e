import { Code, ConnectError } from '@connectrpc/connect';
import { type CosiError, isCosiError } from '@cosi-ts/resource';
import { type Access, type CallContext, denied, refusedAccess } from '@cosi-ts/state';
import { causes, messageOf } from '../causes.js';
import type { Rpc } from '../rpc.js';
import { errorDetail } from './error-details.js';
import { statusCodeOf } from './status-codes.js';
import { statusText } from './status-text.js';

/** How many details of a status that an error carries are passed on. */
const maxCarriedDetails = 8;

/**
 * The status that a call ends with when that was thrown. The first error in the chain of causes that says anything
 * decides: an error of the state by the table of codes, one with a status by that, an abort by its kind. A refusal by
 * an access rule gives way to a status that the rule's error carries; without one, it is a refusal whatever was thrown.
 *
 * @param context what the call was made with; by it a refusal is known for one that is no error but a text and the like
 */
export function statusOf(error: unknown, rpc: Rpc, context?: CallContext): ConnectError {
  let known: CosiError | undefined;
  let refused = refusedAccess(error, context);
  for (const link of causes(error)) {
    refused ??= refusedAccess(link);
    if (link instanceof ConnectError) return carried(link, error);
    if (isCosiError(link)) {
      known ??= link;
      const code = statusCodeOf(link.code, rpc);
      if (code !== undefined)
        return (link.code === 'denied' ? carriedBy(link) : undefined) ?? status(error, code, link);
    } else if (isNamed(link, 'AbortError')) {
      return status(error, Code.Canceled, known);
    } else if (isNamed(link, 'TimeoutError') && refused === undefined) {
      return status(error, Code.DeadlineExceeded, known);
    }
  }
  if (refused === undefined) return status(error, Code.Unknown, known);
  return status(reasonOf(error, refused), Code.PermissionDenied, known ?? denied(refused));
}

/** A rule need not say why. */
function reasonOf(thrown: unknown, refused: Access): unknown {
  return thrown === undefined || thrown === null || messageOf(thrown) === '' ? denied(refused) : thrown;
}

function status(error: unknown, code: Code, known: CosiError | undefined): ConnectError {
  const text = statusText(messageOf(error), known?.subject);
  return new ConnectError(text, code, undefined, known === undefined ? undefined : [errorDetail(known)], error);
}

/** The status as it was made, with the text of the error around it. */
function carried(from: ConnectError, error: unknown): ConnectError {
  const text = error instanceof ConnectError ? error.rawMessage : messageOf(error);
  const made = new ConnectError(statusText(text), from.code, undefined, undefined, error);
  made.details = from.details.slice(0, maxCarriedDetails);
  return made;
}

function carriedBy(error: CosiError): ConnectError | undefined {
  for (const link of causes(error.cause)) {
    if (link instanceof ConnectError) return carried(link, error);
  }
  return undefined;
}

function isNamed(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && (error as { readonly name?: unknown }).name === name;
}
