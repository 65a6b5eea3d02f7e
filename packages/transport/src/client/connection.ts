import http2 from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import type { createNodeHttpClient } from '@connectrpc/connect-node';
import type { Clock } from '@cosi-ts/state';
import { sessionMemoryMegabytes } from '../limits.js';

/** What the RPC library's HTTP client takes its streams from. */
type SessionManager = ReturnType<
  NonNullable<Extract<Parameters<typeof createNodeHttpClient>[0], { httpVersion: '2' }>['sessionProvider']>
>;

/** How many streams a connection may cancel. */
export interface CancellationLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * A connection to a server: opened by the first call, opened anew by the first call after it broke or was told to go
 * away. It keeps the process running while calls are open on it, and no longer.
 */
export class Connection implements SessionManager {
  readonly authority: string;
  /** What requests name: Node would leave out the brackets of an IPv6 host. */
  readonly #host: string;
  readonly #limits: CancellationLimits;
  readonly #clock: Clock;
  readonly #onIdle: (connection: Connection) => void;
  #session: http2.ClientHttp2Session | undefined;
  #open = 0;
  #tokens: number;
  #countedMs: number;

  constructor(authority: string, limits: CancellationLimits, clock: Clock, onIdle: (connection: Connection) => void) {
    this.authority = authority;
    this.#host = new URL(authority).host;
    this.#limits = limits;
    this.#tokens = limits.burst;
    this.#clock = clock;
    this.#onIdle = onIdle;
    this.#countedMs = clock.monotonicMs();
  }

  /** Whether one more stream could be cancelled together with all that are open. */
  hasRoom(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const earned = ((nowMs - this.#countedMs) / 1000) * this.#limits.perSecond;
    this.#countedMs = nowMs;
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + earned);
    return this.#tokens - this.#open >= 1;
  }

  /** Opens a stream. What goes wrong with the connection, now or later, is an error of the stream. */
  async request(
    method: string,
    path: string,
    headers: http2.OutgoingHttpHeaders,
    options: http2.ClientSessionRequestOptions,
  ): Promise<http2.ClientHttp2Stream> {
    const session = this.#live();
    const stream = session.request({ ...headers, ':method': method, ':authority': this.#host, ':path': path }, options);
    this.#opened(session, stream);
    return stream;
  }

  notifyResponseByteRead(): void {}

  /** Ends the connection and the streams on it. */
  close(): void {
    this.#session?.destroy();
  }

  #live(): http2.ClientHttp2Session {
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = http2.connect(this.authority, { maxSessionMemory: sessionMemoryMegabytes });
    // Every stream gets the error of its session; without a listener it would be thrown at the process as well.
    session.on('error', () => {});
    this.#session = session;
    return session;
  }

  #opened(session: http2.ClientHttp2Session, stream: http2.ClientHttp2Stream): void {
    this.#open++;
    session.ref();
    let answered = false;
    stream.once('response', () => {
      answered = true;
    });
    stream.on('error', () => {});
    // Who is answered before having sent all stops writing, and the stream would stay open for good.
    stream.once('end', () => stream.end());
    stream.once('close', () => {
      const { rstCode } = stream;
      if (rstCode !== http2.constants.NGHTTP2_NO_ERROR) this.#tokens--;
      // The RPC library waits for an answer or an error, and a stream can end without either. Of some resets it makes
      // codes that mean another thing when they come from the server itself.
      if (rstCode !== http2.constants.NGHTTP2_NO_ERROR || !answered) stream.emit('error', endedEarly(rstCode));
      this.#open--;
      if (this.#open > 0) return;
      session.unref();
      this.#onIdle(this);
    });
  }
}

function endedEarly(rstCode: number | undefined): ConnectError {
  const how = rstCode ? `was reset with code ${rstCode}` : 'ended without an answer';
  return new ConnectError(`the stream ${how}`, Code.Unavailable);
}
