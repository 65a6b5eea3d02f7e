import { type ClientHttp2Stream, constants } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { EnvelopeReader } from '../../envelope-reader.js';
import { headersFault, type ResponseHeaders, responseStatus } from './response-status.js';

/** The answer to one call, as it comes. */
export class GrpcStream {
  readonly #stream: ClientHttp2Stream;
  readonly #reader: EnvelopeReader;
  #headers: ResponseHeaders = {};
  #trailers: ResponseHeaders | undefined;
  #ended = false;
  #failure: ConnectError | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: ClientHttp2Stream, maxMessageBytes: number) {
    this.#stream = stream;
    this.#reader = new EnvelopeReader(maxMessageBytes);
    stream.on('response', (headers) => {
      this.#headers = headers;
      const fault = headersFault(headers);
      if (fault !== undefined) this.fail(fault);
    });
    stream.on('trailers', (trailers) => {
      this.#trailers = trailers;
    });
    stream.on('readable', () => this.#stir());
    stream.on('end', () => {
      this.#ended = true;
      this.#stir();
    });
    stream.on('error', (error) => this.fail(brokenBy(error)));
    stream.on('close', () => {
      if (!this.#ended) this.fail(new ConnectError('the stream ended without a status', Code.Unavailable));
    });
  }

  /** The trailers have come. */
  get hasStatus(): boolean {
    return this.#trailers?.['grpc-status'] !== undefined;
  }

  /**
   * The messages that have come since the last time, at least one; undefined at the end of an answer that ended well.
   * Rejects with a status, that of the answer or what it broke with. Never called twice at a time.
   */
  async next(): Promise<readonly Uint8Array[] | undefined> {
    for (;;) {
      const messages = this.#read();
      if (messages.length > 0) return messages;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#ended) return this.#finish();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Ends the call from this side, unless it has ended. What has not been read is lost. */
  cancel(): void {
    if (!this.#ended) this.fail(new ConnectError('the call was canceled', Code.Canceled));
  }

  /** The first reason counts. */
  fail(failure: ConnectError): void {
    if (this.#failure === undefined && !this.#ended) {
      this.#failure = failure;
      this.#stream.close(constants.NGHTTP2_CANCEL);
    }
    this.#stir();
  }

  /** Only what is asked for is read: what is not makes the other side wait. */
  #read(): readonly Uint8Array[] {
    if (this.#failure !== undefined) return [];
    const chunk = this.#stream.read() as Uint8Array | null;
    if (chunk === null) return [];
    try {
      return this.#reader.add(chunk);
    } catch (error) {
      this.fail(ConnectError.from(error));
      return [];
    }
  }

  #finish(): undefined {
    const status = responseStatus(this.#headers, this.#trailers);
    if (status !== undefined) throw status;
    if (this.#reader.isWithinMessage) throw new ConnectError('the answer ended within a message', Code.InvalidArgument);
    return undefined;
  }

  #stir(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

function brokenBy(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new ConnectError(text, Code.Unavailable, undefined, undefined, error);
}
