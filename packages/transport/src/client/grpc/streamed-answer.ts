import { type ClientHttp2Stream, constants } from 'node:http2';
import { ConnectError } from '@connectrpc/connect';
import { EnvelopeReader } from '../../envelope-reader.js';
import { batchBytes } from '../../limits.js';
import { AnswerFrame, canceled } from './answer-frame.js';

/** Any number of messages, read as they are asked for: what is not asked for makes the other side wait. */
export class StreamedAnswer {
  readonly #stream: ClientHttp2Stream;
  readonly #reader: EnvelopeReader;
  readonly #frame: AnswerFrame;
  #ended = false;
  #failure: ConnectError | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: ClientHttp2Stream, maxMessageBytes: number) {
    this.#stream = stream;
    this.#reader = new EnvelopeReader(maxMessageBytes, batchBytes + 1024);
    this.#frame = new AnswerFrame(stream, (failure) => this.#fail(failure));
    stream.on('readable', () => this.#stir());
    stream.on('end', () => {
      this.#ended = true;
      this.#stir();
    });
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
      if (this.#ended) {
        this.#frame.finish(this.#reader);
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Ends the call from this side, unless it has ended. What has not been read is lost. */
  cancel(): void {
    if (!this.#ended && this.#failure === undefined) this.#fail(canceled());
  }

  /** The first reason counts. */
  #fail(failure: ConnectError): void {
    if (this.#failure === undefined && !this.#ended) {
      this.#failure = failure;
      this.#stream.close(constants.NGHTTP2_CANCEL);
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
      this.#fail(ConnectError.from(error));
    }
    return messages;
  }

  #chunk(): Uint8Array | null {
    return this.#stream.read() as Uint8Array | null;
  }

  #stir(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
