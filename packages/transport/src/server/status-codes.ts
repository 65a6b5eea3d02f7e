import { Code } from '@connectrpc/connect';
import type { ErrorCode } from '@cosi-ts/resource';
import { familyOf, type Rpc, type RpcFamily } from '../rpc.js';

const conflict: Readonly<Partial<Record<RpcFamily, Code>>> = {
  create: Code.AlreadyExists,
  update: Code.FailedPrecondition,
  destroy: Code.FailedPrecondition,
};

const ownerConflict: Readonly<Partial<Record<RpcFamily, Code>>> = {
  create: Code.PermissionDenied,
  update: Code.PermissionDenied,
  destroy: Code.PermissionDenied,
};

/**
 * The status code of an error of the state, by the table that peers rely on. Some codes mean one thing only: on update
 * FailedPrecondition is a version conflict (Go clients try again at once) and InvalidArgument a phase conflict; at the
 * start of a watch FailedPrecondition is a refused bookmark; on teardown Unimplemented says that the server has no such
 * call, for good.
 *
 * Undefined: the table says nothing, and the status is the one that the error carries, or Unknown.
 */
export function statusCodeOf(code: ErrorCode, rpc: Rpc): Code | undefined {
  const family = familyOf(rpc);
  switch (code) {
    case 'not-found':
      return family === 'watch' ? undefined : Code.NotFound;
    case 'owner-conflict':
      return ownerConflict[family];
    case 'phase-conflict':
      return family === 'update' ? Code.InvalidArgument : conflict[family];
    case 'already-exists':
    case 'version-conflict':
    case 'pending-finalizers':
    case 'conflict':
      return conflict[family];
    case 'invalid-bookmark':
      return family === 'watch' ? Code.FailedPrecondition : undefined;
    case 'overrun':
      return family === 'watch' ? Code.Aborted : undefined;
    case 'unsupported':
      return rpc === 'teardown' || rpc === 'teardownAndDestroy' ? Code.Unknown : Code.Unimplemented;
    case 'invalid-argument':
      return family === 'update' ? Code.Unknown : Code.InvalidArgument;
    case 'denied':
      return Code.PermissionDenied;
    case 'unauthenticated':
      return Code.Unauthenticated;
    case 'unavailable':
    case 'closed':
      return Code.Unavailable;
    case 'resource-exhausted':
      return Code.ResourceExhausted;
    default:
      return undefined;
  }
}
