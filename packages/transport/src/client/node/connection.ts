import http2 from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { isOurs } from '../../product.js';
import { CallStream, type CallStreamOwner } from './call-stream.js';
import { Keepalive, type KeepaliveTimes } from './keepalive.js';
import { openSession, type Session, type SessionOptions } from './open-session.js';
import type { ServerAddress } from './server-address.js';

/** How many streams a connection may cancel. */
export interface CancellationLimits {
  readonly burst: number;
  readonly perSecond: number;
}

export interface ConnectionOptions extends SessionOptions {
  readonly limits: CancellationLimits;
  /** Asked for each new connection: it depends on what the server made of the last one. */
  readonly keepalive: () => KeepaliveTimes;
}

/** What the owner of a connection is told. */
export interface ConnectionListener {
  /** No stream is open any more. */
  idle(connection: Connection): void;
  /** The server ended the connection because of the pings on it. */
  tooManyPings(): void;
}

/** One session, and what watches over it. */
interface Live extends Session, CallStreamOwner {
  readonly keepalive: Keepalive;
}

const noError = http2.constants.NGHTTP2_NO_ERROR;

/**
 * A connection to a server: opened by the first call, opened anew by the first call after it broke or was told to go
 * away. It keeps the process running while calls are open on it, and no longer.
 */
export class Connection {
  readonly #address: ServerAddress;
  readonly #options: ConnectionOptions;
  readonly #listener: ConnectionListener;
  readonly #closed = new AbortController();
  #live: Live | undefined;
  #opening: Promise<Live> | undefined;
  #open = 0;
  #tokens: number;
  #countedMs: number;

  constructor(address: ServerAddress, options: ConnectionOptions, listener: ConnectionListener) {
    this.#address = address;
    this.#options = options;
    this.#listener = listener;
    this.#tokens = options.limits.burst;
    this.#countedMs = options.clock.monotonicMs();
  }

  /** Whether one more stream could be cancelled together with all that are open. */
  hasRoom(): boolean {
    const { clock, limits } = this.#options;
    const nowMs = clock.monotonicMs();
    const earned = ((nowMs - this.#countedMs) / 1000) * limits.perSecond;
    this.#countedMs = nowMs;
    this.#tokens = Math.min(limits.burst, this.#tokens + earned);
    return this.#tokens - this.#open >= 1;
  }

  /**
   * Opens a stream for a request: at once, where there is a session. What goes wrong with the connection later is an error
   * of the stream.
   */
  open(headers: http2.OutgoingHttpHeaders): CallStream | Promise<CallStream> {
    this.#open++;
    return isUsable(this.#live) ? this.#opened(this.#live, headers) : this.#openedLater(headers);
  }

  async #openedLater(headers: http2.OutgoingHttpHeaders): Promise<CallStream> {
    let live: Live;
    try {
      live = await this.#connected();
    } catch (error) {
      this.#left();
      throw error;
    }
    return this.#opened(live, headers);
  }

  /** Ends the connection and the streams on it. */
  close(): void {
    this.#closed.abort();
    if (this.#live !== undefined) end(this.#live);
  }

  #connected(): Promise<Live> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(): Promise<Live> {
    const session = await openSession(this.#address, this.#options, this.#closed.signal);
    const { timeoutMs } = this.#options.keepalive();
    const keepalive = new Keepalive(this.#options.keepalive(), this.#options.clock, {
      get bytesRead() {
        return session.socket.bytesRead;
      },
      ping: () => void session.http2.ping(() => {}),
      end: () =>
        end(live, new ConnectError(`${this.#address.text} has not answered for ${timeoutMs} ms`, Code.Unavailable)),
    });
    const live: Live = {
      ...session,
      keepalive,
      answered: ({ server }) => keepalive.answered(isOurs(server)),
      closed: (rstCode) => this.#streamClosed(live, rstCode),
    };
    session.http2.once('close', () => keepalive.stop());
    session.http2.on('goaway', (code: number, _lastStream: number, data?: Buffer) => {
      const isPings = code === http2.constants.NGHTTP2_ENHANCE_YOUR_CALM && data?.toString() === 'too_many_pings';
      if (isPings) this.#listener.tooManyPings();
    });
    this.#live = live;
    // What was cancelled on another session is not held against this one.
    this.#tokens = this.#options.limits.burst;
    return live;
  }

  #opened(live: Live, headers: http2.OutgoingHttpHeaders): CallStream {
    const { http2: session, keepalive } = live;
    let stream: http2.ClientHttp2Stream;
    try {
      stream = session.request(headers);
    } catch (error) {
      this.#left();
      throw error;
    }
    session.ref();
    keepalive.opened();
    return new CallStream(stream, live);
  }

  #streamClosed(live: Live, rstCode: number): void {
    if (rstCode !== noError && live === this.#live && isUsable(live)) this.#tokens--;
    live.keepalive.closed();
    this.#left();
  }

  /** A stream is no longer open, or was never. */
  #left(): void {
    if (--this.#open > 0) return;
    this.#live?.http2.unref();
    this.#listener.idle(this);
  }
}

function isUsable(live: Live | undefined): live is Live {
  return live !== undefined && !live.http2.closed && !live.http2.destroyed;
}

/** Ends a session at once: what has not been sent to a peer that does not answer would keep the socket open. */
function end({ http2: session, socket, keepalive }: Live, error?: ConnectError): void {
  keepalive.stop();
  session.destroy(error);
  socket.destroy();
}
