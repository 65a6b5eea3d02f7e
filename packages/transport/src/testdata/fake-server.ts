import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { EnvelopeReader, envelope } from './envelopes.js';

/** What a fake server answers to one call. */
export interface FakeAnswer {
  readonly messages: readonly Uint8Array[];
  /** Absent: the stream stays open. */
  readonly status?: { readonly code: number; readonly message: string } | undefined;
  /** What something between client and server answers with, that knows nothing of gRPC. */
  readonly httpStatus?: number | undefined;
  /** Response headers beside those that every answer has. */
  readonly headers?: http2.OutgoingHttpHeaders | undefined;
}

/** A call that a fake server got. */
export interface FakeCall {
  readonly rpc: string;
  readonly request: Uint8Array;
  readonly headers: http2.IncomingHttpHeaders;
  readonly stream: http2.ServerHttp2Stream;
  /** Resolves with the code that the stream was closed with. */
  readonly closed: Promise<number>;
}

/** A gRPC server that answers with the bytes it is given, as a peer would that knows no error details. */
export class FakeServer implements AsyncDisposable {
  readonly calls: FakeCall[] = [];
  /** Is told of each connection. */
  onSession: (session: http2.ServerHttp2Session) => void = () => {};
  readonly #server: http2.Http2Server;
  readonly #sessions = new Set<http2.ServerHttp2Session>();

  private constructor(answer: (call: FakeCall) => FakeAnswer) {
    this.#server = http2.createServer();
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      session.on('error', () => {});
      this.onSession(session);
    });
    this.#server.on('stream', (stream, headers) => {
      const reader = new EnvelopeReader();
      const closed = new Promise<number>((resolve) => stream.once('close', () => resolve(stream.rstCode ?? 0)));
      stream.on('error', () => {});
      stream.on('data', (chunk: Buffer) => {
        for (const request of reader.add(chunk)) {
          const rpc = String(headers[':path']).split('/').at(-1) as string;
          const call = { rpc, request, headers, stream, closed };
          this.calls.push(call);
          send(stream, answer(call));
        }
      });
    });
  }

  static async start(answer: (call: FakeCall) => FakeAnswer): Promise<FakeServer> {
    const server = new FakeServer(answer);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many connections are open. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Ends all connections without a word. */
  cut(): void {
    for (const session of this.#sessions) session.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }
}

function send(stream: http2.ServerHttp2Stream, { messages, status, httpStatus, headers }: FakeAnswer): void {
  // The answer was to end it.
  if (stream.destroyed || stream.closed) return;
  if (httpStatus !== undefined) {
    stream.respond({ ':status': httpStatus, 'content-type': 'text/html' });
    stream.end('<p>no</p>');
    return;
  }
  const trailers =
    status === undefined
      ? {}
      : { 'grpc-status': String(status.code), 'grpc-message': encodeURIComponent(status.message) };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...headers }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  for (const message of messages) stream.write(envelope(message));
  if (status !== undefined) stream.end();
}
