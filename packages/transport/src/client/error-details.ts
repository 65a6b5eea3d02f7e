import type { ConnectError } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import type { ErrorCode, Subject } from '@cosi-ts/resource';
import { errorDomain } from '../error-domain.js';

/** What a peer of this implementation says beside the status. */
export interface ErrorDetail {
  readonly code: ErrorCode;
  readonly subject: Subject | undefined;
}

const known: ReadonlySet<string> = new Set<ErrorCode>([
  'not-found',
  'already-exists',
  'version-conflict',
  'owner-conflict',
  'phase-conflict',
  'pending-finalizers',
  'conflict',
  'invalid-argument',
  'invalid-bookmark',
  'overrun',
  'unsupported',
  'denied',
  'unauthenticated',
  'unavailable',
  'resource-exhausted',
  'corrupt',
  'in-use',
  'closed',
  'unknown',
]);

/** Undefined when there is no detail of ours, or one with a code that this version does not know. */
export function readErrorDetail(status: ConnectError): ErrorDetail | undefined {
  for (const { domain, reason, metadata } of status.findDetails(wire.ErrorInfoSchema)) {
    if (domain !== errorDomain || !isCode(reason)) continue;
    return { code: reason, subject: readSubject(metadata) };
  }
  return undefined;
}

/** Codes with a prefix belong to packages, which may be any. */
function isCode(reason: string): reason is ErrorCode {
  return known.has(reason) || /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/.test(reason);
}

function readSubject(metadata: Readonly<Record<string, string>>): Subject | undefined {
  const { namespace, type, id } = metadata;
  if (namespace === undefined || type === undefined) return undefined;
  return id === undefined ? { namespace, type } : { namespace, type, id };
}
