import { ConnectError } from '@connectrpc/connect';
import { EnvelopeReader } from '../../envelope-reader.js';
import { batchBytes } from '../../limits.js';
import type { CallReader, CallStream } from '../node/call-stream.js';
import { canceled, endOf } from './answer-end.js';
import { headersFault, type ResponseHeaders } from './response-status.js';

/** Any number of messages, read as they are asked for: what is not asked for makes the other side wait. */
export class StreamedAnswer implements CallReader {
  readonly #call: CallStream;
  readonly #reader: EnvelopeReader;
  #isEnded = false;
  /** What the answer has ended with, or broken with. */
  #failure: ConnectError | undefined;
  #wake: (() => void) | undefined;

  constructor(call: CallStream, maxMessageBytes: number) {
    this.#call = call;
    this.#reader = new EnvelopeReader(maxMessageBytes, batchBytes + 1024);
    call.follow(this);
    call.http2.on('readable', () => this.#stir());
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
      if (this.#isEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Ends the call from this side, unless it has ended. What has not been read is lost. */
  cancel(): void {
    if (!this.#isEnded && this.#failure === undefined) this.broken(canceled());
  }

  begun(headers: ResponseHeaders): void {
    const fault = headersFault(headers);
    if (fault !== undefined) this.broken(fault);
  }

  ended(): void {
    if (!this.#isEnded && this.#failure === undefined) this.#failure = endOf(this.#call, this.#reader);
    this.#isEnded = true;
    this.#stir();
  }

  /** The first reason counts. */
  broken(failure: ConnectError): void {
    if (this.#failure === undefined && !this.#isEnded) {
      this.#failure = failure;
      this.#call.cancel();
    }
    this.#stir();
  }

  /** All that has come. A stream may give it in pieces, and says that there is more only once all of it was taken. */
  #read(): readonly Uint8Array[] {
    const messages: Uint8Array[] = [];
    if (this.#failure !== undefined) return messages;
    try {
      for (let chunk = this.#chunk(); chunk !== null; chunk = this.#chunk()) this.#reader.add(chunk, messages);
    } catch (error) {
      this.broken(ConnectError.from(error));
    }
    return messages;
  }

  #chunk(): Uint8Array | null {
    return this.#call.http2.read() as Uint8Array | null;
  }

  #stir(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
