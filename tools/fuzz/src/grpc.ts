import http2 from 'node:http2';
import net from 'node:net';
import { answered, Finding, type Target } from './attack.js';

export const rpcs = ['Get', 'List', 'Create', 'Update', 'Destroy', 'Watch', 'Teardown', 'TeardownAndDestroy'] as const;
export type RpcName = (typeof rpcs)[number];

const statusNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** Of the code in the trailers, when there is one. */
export function statusName(code: string | readonly string[] | undefined): string | undefined {
  return code === undefined ? undefined : (statusNames[Number(code)] ?? `status ${code}`);
}

/** A message as gRPC puts it on a stream: a flag, the length, the bytes. */
export function envelope(message: Uint8Array, flags = 0, length = message.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

/** How a stream ended. */
export interface Outcome {
  /** Undefined: there was no answer. */
  readonly httpStatus: number | undefined;
  readonly headers: http2.IncomingHttpHeaders;
  /** The name of the gRPC status, when there was one. */
  readonly status: string | undefined;
  readonly body: Buffer;
  /** The code that the stream was closed with: 0 without fault. */
  readonly reset: number;
}

export interface CallOptions {
  readonly headers?: http2.OutgoingHttpHeaders | undefined;
  /** Leaves the request open after the bytes. */
  readonly open?: boolean | undefined;
  /** Ends the call by itself once that many bytes have come: for watches, which have no end of their own. */
  readonly untilBytes?: number | undefined;
}

/** One HTTP/2 connection that says what it is told to say. */
export class Connection implements AsyncDisposable {
  readonly session: http2.ClientHttp2Session;
  /** To be paused; Node lets nobody do more with it. */
  readonly socket: net.Socket;

  constructor({ host, port }: Target) {
    this.socket = net.connect({ host, port, noDelay: true });
    this.session = http2.connect(`http://${host}:${port}`, {
      createConnection: () => this.socket,
      maxSessionMemory: 1000,
    });
    this.session.on('error', () => {});
  }

  /** Opens a stream, and sends the bytes as they are. */
  open(path: string, bytes: Uint8Array | undefined, options: CallOptions = {}): http2.ClientHttp2Stream {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...options.headers,
    });
    stream.on('error', () => {});
    if (bytes !== undefined) stream.write(bytes);
    if (options.open !== true) stream.end();
    return stream;
  }

  /** The answer to the bytes. Throws a {@link Finding} when there is none. */
  async send(path: string, bytes: Uint8Array | undefined, options: CallOptions = {}): Promise<Outcome> {
    const stream = this.open(path, bytes, options);
    try {
      return await answered(outcome(stream, options.untilBytes), path, bytes);
    } finally {
      stream.close(http2.constants.NGHTTP2_CANCEL);
    }
  }

  /** A call of the service with one message. A watch is ended when it is established. */
  async call(rpc: RpcName, message: Uint8Array, options: CallOptions = {}): Promise<Outcome> {
    const untilBytes = rpc === 'Watch' ? 5 : undefined;
    return this.send(`/cosi.resource.State/${rpc}`, envelope(message), { untilBytes, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.session.destroyed) return;
    const closed = new Promise((resolve) => this.session.once('close', resolve));
    this.session.destroy();
    await closed;
  }
}

function outcome(stream: http2.ClientHttp2Stream, untilBytes = Number.POSITIVE_INFINITY): Promise<Outcome> {
  return new Promise((resolve) => {
    let headers: http2.IncomingHttpHeaders = {};
    let trailers: http2.IncomingHttpHeaders = {};
    const body: Buffer[] = [];
    let length = 0;
    const done = () => {
      const code = trailers['grpc-status'] ?? headers['grpc-status'];
      resolve({
        httpStatus: headers[':status'] === undefined ? undefined : Number(headers[':status']),
        headers: { ...headers, ...trailers },
        status: statusName(code),
        body: Buffer.concat(body),
        reset: stream.rstCode ?? 0,
      });
    };
    stream.once('response', (received) => {
      headers = received;
    });
    stream.once('trailers', (received) => {
      trailers = received;
    });
    stream.on('data', (chunk: Buffer) => {
      body.push(chunk);
      length += chunk.length;
      if (length >= untilBytes) done();
    });
    stream.once('close', done);
  });
}

/** Texts by which JavaScript speaks of a fault in a program: never an answer to a client. */
const bugs =
  /Cannot (read|set|convert|mix|destructure)|is not (a function|iterable|defined|a constructor)|of undefined|Maximum call stack|Invalid (string|array|typed array) length|\[object /;

/** Longest text of a status, in bytes of UTF-8. */
const maxMessageBytes = 2048;

/**
 * Checks that a call was answered as gRPC wants it: HTTP's 200, and a known status with a text that is short and speaks
 * of the request. Gives the name of the status; `open` for a stream that goes on.
 */
export function checkStatus(
  what: string,
  { httpStatus, status, headers, body, reset }: Outcome,
  sent?: Uint8Array,
): string {
  if (httpStatus === undefined) throw new Finding(`${what}: ended without an answer, by code ${reset}`, sent);
  if (httpStatus !== 200) throw new Finding(`${what}: HTTP status ${httpStatus}`, sent);
  if (status === undefined) {
    if (body.length >= 5) return 'open';
    throw new Finding(`${what}: ended without a status, by code ${reset}`, sent);
  }
  checkText(what, status, decodeURIComponent(String(headers['grpc-message'] ?? '')), sent);
  return status;
}

/** Checks the text of a status. */
export function checkText(what: string, status: string, text: string, sent?: Uint8Array): void {
  if (!(statusNames as readonly string[]).includes(status)) throw new Finding(`${what}: unknown ${status}`, sent);
  if (Buffer.byteLength(text) > maxMessageBytes)
    throw new Finding(`${what}: a text of ${Buffer.byteLength(text)} bytes: ${text.slice(0, 200)}`, sent);
  // Names that were sent come back in the text.
  if (bugs.test(text.replace(/"(\\.|[^"\\])*"?/g, ''))) throw new Finding(`${what}: ${status}: ${text}`, sent);
}
