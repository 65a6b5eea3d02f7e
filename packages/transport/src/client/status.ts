import { Code, ConnectError } from '@connectrpc/connect';
import { type CosiError, isCosiError, type Subject } from '@cosi-ts/resource';
import type { Rpc } from '../rpc.js';
import { readErrorDetail } from './error-details.js';
import { specificError } from './specific-errors.js';
import { errorCodeOf } from './status-codes.js';

/**
 * The error of the state that a failed call means: by the details that our servers send, else by the table of codes.
 * Errors that this side made itself, and those that are of the state already, are seen to here too.
 */
export function errorOf(thrown: unknown, rpc: Rpc, subject: Subject): CosiError {
  if (isCosiError(thrown)) return thrown;
  const status = ConnectError.from(thrown);
  const detail = readErrorDetail(status);
  const broken = isBroken(status);
  const code = detail?.code ?? (broken ? 'unavailable' : errorCodeOf(status.code, rpc));
  const isRaw = broken && status.code !== Code.Unavailable;
  const message = isRaw ? `the connection to the server broke: ${status.rawMessage}` : status.rawMessage;
  return specificError(code, message, { subject: detail?.subject ?? subject, cause: status });
}

/** True when the peer said in its answer that it has no such call. */
export function isUnimplemented(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof ConnectError && cause.code === Code.Unimplemented && readErrorDetail(cause) === undefined;
}

/** What the RPC library makes of connections and streams that break. */
const broken: ReadonlySet<Code> = new Set([
  Code.Aborted,
  Code.Canceled,
  Code.DeadlineExceeded,
  Code.Internal,
  Code.InvalidArgument,
  Code.Unavailable,
  Code.Unknown,
]);

/**
 * True when no status came from the peer: the connection failed, the stream ended without one, or something in between
 * answered that there is nothing of that name.
 */
function isBroken({ code, metadata }: ConnectError): boolean {
  if (metadata.has('grpc-status')) return false;
  const contentType = metadata.get('content-type');
  if (contentType === null) return broken.has(code);
  return code === Code.Unimplemented && !contentType.startsWith('application/');
}
