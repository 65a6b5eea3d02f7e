import http2 from 'node:http2';
import net from 'node:net';
import { EnvelopeReader, envelope } from './envelopes.js';

export interface RawStatus {
  readonly code: number;
  readonly message: string;
  readonly headers: http2.IncomingHttpHeaders;
}

/** A gRPC call that sends the bytes it is given, and shows the bytes that come. */
export class RawCall {
  readonly stream: http2.ClientHttp2Stream;
  /** The status, which the trailers bring. Rejects when the stream ends without one. */
  readonly status: Promise<RawStatus>;
  readonly #messages: Uint8Array[] = [];
  readonly #reader = new EnvelopeReader();
  #wake: () => void = () => {};
  #ended = false;

  constructor(stream: http2.ClientHttp2Stream, request: Uint8Array) {
    this.stream = stream;
    let headers: http2.IncomingHttpHeaders = {};
    stream.on('response', (received) => {
      headers = received;
    });
    stream.on('data', (chunk: Buffer) => {
      this.#messages.push(...this.#reader.add(chunk));
      this.#wake();
    });
    this.status = new Promise((resolve, reject) => {
      stream.on('trailers', (trailers) => {
        resolve({
          code: Number(trailers['grpc-status']),
          message: decodeURIComponent(String(trailers['grpc-message'] ?? '')),
          headers: { ...headers, ...trailers },
        });
      });
      stream.on('error', reject);
      stream.on('close', () => {
        this.#ended = true;
        this.#wake();
        reject(new Error(`the stream ended without a status, code ${stream.rstCode}`));
      });
    });
    this.status.catch(() => {});
    stream.end(envelope(request));
  }

  /** The next message, or undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#messages.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#messages.shift();
  }

  /** The messages until the end, which the status tells. */
  async all(): Promise<Uint8Array[]> {
    const messages: Uint8Array[] = [];
    for (let message = await this.next(); message !== undefined; message = await this.next()) messages.push(message);
    return messages;
  }

  cancel(): void {
    this.stream.close(http2.constants.NGHTTP2_CANCEL);
  }
}

/** A gRPC client that knows nothing of the service. */
export class RawClient implements AsyncDisposable {
  readonly session: http2.ClientHttp2Session;
  readonly socket: net.Socket;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = net.connect(Number(port), hostname);
    this.session = http2.connect(url, { createConnection: () => this.socket });
    this.session.on('error', () => {});
  }

  call(rpc: string, request: Uint8Array, headers: http2.OutgoingHttpHeaders = {}): RawCall {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': `/cosi.resource.State/${rpc}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    return new RawCall(stream, request);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.session.destroy();
    return Promise.resolve();
  }
}
