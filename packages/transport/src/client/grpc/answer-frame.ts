import { type ClientHttp2Stream, constants } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import type { EnvelopeReader } from '../../envelope-reader.js';
import { markUnsent } from '../unsent.js';
import { headersFault, type ResponseHeaders, responseStatus } from './response-status.js';

/** What is around the messages of an answer: headers before, trailers after, or a break in the middle. */
export class AnswerFrame {
  #headers: ResponseHeaders = {};
  #trailers: ResponseHeaders | undefined;

  /** @param fail is told what the call has failed with, possibly more than once */
  constructor(stream: ClientHttp2Stream, fail: (failure: ConnectError) => void) {
    stream.on('response', (headers) => {
      this.#headers = headers;
      const fault = headersFault(headers);
      if (fault !== undefined) fail(fault);
    });
    stream.on('trailers', (trailers) => {
      this.#trailers = trailers;
    });
    stream.on('error', (error) => {
      const failure = brokenBy(error);
      fail(stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? markUnsent(failure) : failure);
    });
    stream.on('close', () => {
      if (!stream.readableEnded) fail(new ConnectError('the stream ended without a status', Code.Unavailable));
    });
  }

  /** Throws the status that the answer has ended with, unless all is well. */
  finish(reader: EnvelopeReader): void {
    const status = responseStatus(this.#headers, this.#trailers);
    if (status !== undefined) throw status;
    if (reader.isWithinMessage) throw new ConnectError('the answer ended within a message', Code.InvalidArgument);
  }

  /** Why there is no message where there should be one. */
  noMessage(): ConnectError {
    const hasStatus = this.#trailers?.['grpc-status'] !== undefined;
    return new ConnectError('the answer has no message', hasStatus ? Code.Unimplemented : Code.Unknown);
  }
}

/** The status of a call that broke with an error. */
export function brokenBy(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new ConnectError(text, Code.Unavailable, undefined, undefined, error);
}

/** The status of a call that was ended from this side. */
export function canceled(): ConnectError {
  return new ConnectError('the call was canceled', Code.Canceled);
}
