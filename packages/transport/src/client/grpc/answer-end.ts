import { Code, ConnectError } from '@connectrpc/connect';
import type { EnvelopeReader } from '../../envelope-reader.js';
import type { CallStream } from '../node/call-stream.js';
import { responseStatus } from './response-status.js';

/** The status that an answer has ended with, undefined when all is well. To be asked for when it ends. */
export function endOf({ headers, trailers }: CallStream, reader: EnvelopeReader): ConnectError | undefined {
  const status = responseStatus(headers, trailers);
  if (status !== undefined || !reader.isWithinMessage) return status;
  return new ConnectError('the answer ended within a message', Code.InvalidArgument);
}

/** Why there is no message where there should be one. */
export function noMessage({ trailers }: CallStream): ConnectError {
  const hasStatus = trailers?.['grpc-status'] !== undefined;
  return new ConnectError('the answer has no message', hasStatus ? Code.Unimplemented : Code.Unknown);
}

/** The status of a call that was ended from this side. */
export function canceled(): ConnectError {
  return new ConnectError('the call was canceled', Code.Canceled);
}
