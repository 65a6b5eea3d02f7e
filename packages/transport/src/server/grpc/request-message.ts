import type { ServerHttp2Stream } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { EnvelopeReader } from '../../envelope-reader.js';
import type { CallRecord } from '../call-record.js';

/**
 * The one message of a request. Rejects with a status for none, for a second one, for half of one and for one that is too
 * large, which is known before it has come; and with what it is refused with. What comes after that is left in the
 * stream.
 */
export class RequestMessage {
  readonly whole: Promise<Uint8Array>;
  readonly #reader: EnvelopeReader;
  readonly #record: CallRecord;
  #message: Uint8Array | undefined;
  #settled = false;
  #resolve!: (message: Uint8Array) => void;
  #reject!: (reason: unknown) => void;

  constructor(stream: ServerHttp2Stream, maxMessageBytes: number, record: CallRecord) {
    this.#reader = new EnvelopeReader(maxMessageBytes);
    this.#record = record;
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // They stay for as long as the stream does: to take them away takes longer than to leave them.
    stream.on('data', (chunk: Uint8Array) => this.#take(chunk));
    stream.on('end', () => this.#end());
  }

  /** Nothing is waited for any longer. */
  refuse(reason: unknown): void {
    this.#settled = true;
    this.#reject(reason);
  }

  #take(chunk: Uint8Array): void {
    if (this.#settled) return;
    this.#record.bytesReceived += chunk.length;
    try {
      for (const whole of this.#reader.add(chunk)) {
        if (this.#message !== undefined)
          throw new ConnectError('the request has more than one message', Code.Unimplemented);
        this.#message = whole;
      }
    } catch (error) {
      this.refuse(error);
    }
  }

  #end(): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#reader.isWithinMessage) {
      this.#reject(new ConnectError('the message is not complete', Code.InvalidArgument));
    } else if (this.#message === undefined) {
      this.#reject(new ConnectError('the request has no message', Code.Unimplemented));
    } else {
      this.#resolve(this.#message);
    }
  }
}
