import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Clock } from '@cosi-ts/state';
import { leave } from '../../closed-stream.js';
import type { CallRecord } from '../call-record.js';
import type { Connection } from '../connection.js';
import { grpcTimeoutMs, scheduleDeadline } from '../deadline.js';
import { RequestMessage } from './request-message.js';

const nothing = () => {};

/**
 * A call whose stream is open. It has few listeners and few objects, because most calls take no longer than to make
 * these.
 */
export class OpenCall {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly connection: Connection;
  readonly record: CallRecord;
  /** Resolves when it has been answered, or cannot be any more. */
  readonly closed: Promise<void>;
  readonly #controller = new AbortController();
  readonly #cancelDeadline: () => void;
  #request: RequestMessage | undefined;
  #isAnswered = false;

  /** @param onClose called once, when {@link closed} resolves */
  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Connection,
    record: CallRecord,
    clock: Clock,
    onClose: () => void,
  ) {
    this.stream = stream;
    this.headers = headers;
    this.connection = connection;
    this.record = record;
    // A write that fails is followed by the close of the stream, which is noticed.
    stream.on('error', nothing);
    this.closed = new Promise((resolve) => {
      stream.on('close', () => {
        this.#onClose();
        onClose();
        resolve();
        leave(stream);
      });
    });
    const deadlineMs = grpcTimeoutMs(headers['grpc-timeout'] as string | undefined);
    this.#cancelDeadline = deadlineMs === undefined ? nothing : scheduleDeadline(clock, deadlineMs, this.abort);
  }

  /** Aborts when the caller has gone, when the deadline has passed, and when the call is aborted. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly abort = (reason: unknown): void => {
    this.#controller.abort(reason);
    this.#request?.refuse(reason);
  };

  /** Its one message, see {@link RequestMessage}. Rejects also with what the call is aborted with. */
  request(maxMessageBytes: number): Promise<Uint8Array> {
    this.signal.throwIfAborted();
    this.#request = new RequestMessage(this.stream, maxMessageBytes, this.record);
    return this.#request.whole;
  }

  /** Nothing aborts it any more. */
  answered(): void {
    this.#isAnswered = true;
    this.#cancelDeadline();
  }

  #onClose(): void {
    if (!this.#isAnswered) this.abort(new ConnectError('the caller has gone', Code.Canceled));
  }
}
