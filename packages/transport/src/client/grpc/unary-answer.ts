import { Code, ConnectError } from '@connectrpc/connect';
import { EnvelopeReader } from '../../envelope-reader.js';
import type { CallReader, CallStream } from '../node/call-stream.js';
import { canceled, endOf, noMessage } from './answer-end.js';
import { headersFault, type ResponseHeaders } from './response-status.js';

/** The one message of an answer. Rejects with a status; when the signal aborts, the call is ended. */
export function unaryAnswer(
  call: CallStream,
  maxMessageBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const answer = new UnaryAnswer(call, maxMessageBytes, signal, resolve, reject);
    call.follow(answer);
    call.http2.on('data', (chunk: Uint8Array) => answer.take(chunk));
  });
}

class UnaryAnswer implements CallReader {
  readonly #call: CallStream;
  readonly #reader: EnvelopeReader;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: (() => void) | undefined;
  readonly #resolve: (message: Uint8Array) => void;
  readonly #reject: (reason: unknown) => void;
  #message: Uint8Array | undefined;
  #isSettled = false;

  constructor(
    call: CallStream,
    maxMessageBytes: number,
    signal: AbortSignal | undefined,
    resolve: (message: Uint8Array) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#call = call;
    this.#reader = new EnvelopeReader(maxMessageBytes);
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    if (signal === undefined) return;
    this.#onAbort = () => this.broken(canceled());
    signal.addEventListener('abort', this.#onAbort);
  }

  begun(headers: ResponseHeaders): void {
    const fault = headersFault(headers);
    if (fault !== undefined) this.broken(fault);
  }

  take(chunk: Uint8Array): void {
    if (this.#isSettled) return;
    try {
      for (const whole of this.#reader.add(chunk)) {
        if (this.#message !== undefined) throw new ConnectError('there is more than one answer', Code.Unimplemented);
        this.#message = whole;
      }
    } catch (error) {
      this.broken(ConnectError.from(error));
    }
  }

  ended(): void {
    if (this.#isSettled) return;
    this.#settle();
    const failure = endOf(this.#call, this.#reader);
    if (failure !== undefined) this.#reject(failure);
    else if (this.#message === undefined) this.#reject(noMessage(this.#call));
    else this.#resolve(this.#message);
  }

  broken(failure: ConnectError): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#call.cancel();
    this.#reject(failure);
  }

  #settle(): void {
    this.#isSettled = true;
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
