import type { ServerHttp2Stream } from 'node:http2';
import { product } from '../../product.js';

const headers = Object.freeze({ ':status': 200, 'content-type': 'application/grpc+proto', server: product });

/** What a stream is answered with: messages, and then the status. Nothing happens when the caller has gone. */
export class Answer {
  readonly #stream: ServerHttp2Stream;
  #begun = false;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  /** True when nobody is there any more to be answered. */
  get isOver(): boolean {
    const { destroyed, closed, writableEnded } = this.#stream;
    return destroyed || closed || writableEnded;
  }

  /** False when it has to wait until it can be sent. */
  write(envelopes: Uint8Array): boolean {
    if (this.isOver) return true;
    this.#begin();
    return this.#stream.write(envelopes);
  }

  /** Resolves when what was written has been sent, or cannot be sent any more. */
  sent(): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      if (this.isOver || !stream.writableNeedDrain) return resolve();
      const done = () => {
        stream.off('drain', done);
        stream.off('close', done);
        resolve();
      };
      stream.on('drain', done);
      stream.on('close', done);
    });
  }

  /** @param envelopes the last ones, if there are any */
  end(trailers: Readonly<Record<string, string>>, envelopes?: Uint8Array): void {
    if (this.isOver) return;
    this.#begin();
    // It is said once.
    this.#stream.on('wantTrailers', () => this.#stream.sendTrailers(trailers));
    if (envelopes === undefined) this.#stream.end();
    else this.#stream.end(envelopes);
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#stream.respond(headers, { waitForTrailers: true });
  }
}
