import { type ClientHttp2Stream, constants } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { leave } from '../../closed-stream.js';
import type { ResponseHeaders } from '../grpc/response-status.js';
import { markUnsent } from '../unsent.js';

/** Whoever takes what the stream of a call brings. */
export interface CallReader {
  /** The headers of the answer have come. */
  begun(headers: ResponseHeaders): void;
  /** All of the answer has been read. The trailers have come, if there are any. */
  ended(): void;
  /** The answer will not come to its end. Possibly told more than once; the first failure counts. */
  broken(failure: ConnectError): void;
}

/** What the connection of a stream is told. */
export interface CallStreamOwner {
  /** The headers have come. */
  answered(headers: ResponseHeaders): void;
  /** @param rstCode what the stream was reset with, 0 for one that was not */
  closed(rstCode: number): void;
}

const nobody: CallReader = Object.freeze({ begun() {}, ended() {}, broken() {} });

/**
 * The stream of one call. Has one listener for each event, for the connection and for the reader, because listeners take
 * a good part of the time of a call.
 */
export class CallStream {
  readonly http2: ClientHttp2Stream;
  /** Of the answer: empty as long as they have not come. */
  headers: ResponseHeaders = {};
  trailers: ResponseHeaders | undefined;
  readonly #owner: CallStreamOwner;
  #reader: CallReader = nobody;
  #isAnswered = false;

  constructor(stream: ClientHttp2Stream, owner: CallStreamOwner) {
    this.http2 = stream;
    this.#owner = owner;
    stream.on('response', (headers) => {
      this.#isAnswered = true;
      this.headers = headers;
      owner.answered(headers);
      this.#reader.begun(headers);
    });
    stream.on('trailers', (trailers) => {
      this.trailers = trailers;
    });
    stream.on('end', () => {
      // Who is answered before having sent all stops writing, and the stream would stay open for good.
      if (!stream.writableEnded) stream.end();
      this.#reader.ended();
    });
    stream.on('error', (error) => this.#broken(brokenBy(error)));
    stream.on('close', () => this.#closed());
  }

  /** Sets who takes what comes from now on. */
  follow(reader: CallReader): void {
    this.#reader = reader;
  }

  /** Ends the call from this side. */
  cancel(): void {
    this.http2.close(constants.NGHTTP2_CANCEL);
  }

  #broken(failure: ConnectError): void {
    const isUnsent = this.http2.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    this.#reader.broken(isUnsent ? markUnsent(failure) : failure);
  }

  #closed(): void {
    const { rstCode = constants.NGHTTP2_NO_ERROR, readableEnded } = this.http2;
    // A stream can end without either an answer or an error. Of some resets Node makes no error.
    if (rstCode !== constants.NGHTTP2_NO_ERROR || !this.#isAnswered) this.#broken(endedEarly(rstCode));
    else if (!readableEnded) {
      this.#reader.broken(new ConnectError('the stream ended without a status', Code.Unavailable));
    }
    this.#owner.closed(rstCode);
    leave(this.http2);
  }
}

/** The status of a call that broke with an error. */
export function brokenBy(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new ConnectError(text, Code.Unavailable, undefined, undefined, error);
}

function endedEarly(rstCode: number): ConnectError {
  const how = rstCode === constants.NGHTTP2_NO_ERROR ? 'ended without an answer' : `was reset with code ${rstCode}`;
  return new ConnectError(`the stream ${how}`, Code.Unavailable);
}
