import { Code } from '@connectrpc/connect';
import type { ErrorCode } from '@cosi-ts/resource';
import { familyOf, type Rpc } from '../rpc.js';
import { deadlineExceeded } from './deadline-exceeded.js';

/**
 * What a status code of a peer means that sends no details. Where a code stands for several conditions, the one is
 * taken that peers mean by it; FailedPrecondition on destroy says no more than that there is a conflict.
 */
export function errorCodeOf(code: Code, rpc: Rpc): ErrorCode {
  const family = familyOf(rpc);
  switch (code) {
    case Code.NotFound:
      return 'not-found';
    case Code.AlreadyExists:
      return 'already-exists';
    case Code.PermissionDenied:
      return family === 'read' || family === 'watch' ? 'denied' : 'owner-conflict';
    case Code.InvalidArgument:
      return family === 'update' ? 'phase-conflict' : 'invalid-argument';
    case Code.FailedPrecondition:
      if (family === 'update') return 'version-conflict';
      if (family === 'destroy') return 'conflict';
      return family === 'watch' ? 'invalid-bookmark' : 'unknown';
    case Code.Unimplemented:
      return 'unsupported';
    case Code.Unauthenticated:
      return 'unauthenticated';
    case Code.Unavailable:
      return 'unavailable';
    case Code.ResourceExhausted:
      return 'resource-exhausted';
    case Code.DeadlineExceeded:
      return deadlineExceeded;
    default:
      return 'unknown';
  }
}
