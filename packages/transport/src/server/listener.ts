import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import type { Clock } from '@cosi-ts/state';
import { sessionMemoryMegabytes } from '../limits.js';
import type { Logger } from '../logger.js';
import { type Address, addressText } from './address.js';
import { describeConnection } from './connection.js';
import { firstProtocol } from './first-protocol.js';
import { type KeepaliveOptions, keepAlive } from './keepalive.js';
import { listen } from './listen.js';
import type { NodeRequest, NodeResponse } from './node-response.js';
import { closeInTwoSteps } from './session-close.js';

/** How long a connection may be open before it has said which protocol it speaks, or has agreed on its encryption. */
const firstBytesMs = 10_000;

/** How often refused connections are written of, at most. */
const dropWarningMs = 10_000;

/** How many streams a client may have cancelled at once, and each second for long, before it loses its connection. */
const streamResets = { streamResetBurst: 100_000, streamResetRate: 5000 };

/** How long a request over HTTP/1.1 may take to arrive. Default: Node's, a minute for its head and five for all of it. */
export type RequestTimeouts = Pick<
  http.ServerOptions,
  'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'
>;

export interface ListenerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined: without encryption. */
  readonly tls?: { readonly context: tls.SecureContextOptions; readonly asksForClientCert: boolean } | undefined;
  /** Undefined: clients may be silent for good. */
  readonly keepalive?: KeepaliveOptions | undefined;
  readonly maxConnections: number;
  /** On one HTTP/2 connection. */
  readonly maxStreamsPerConnection: number;
  readonly timeouts?: RequestTimeouts | undefined;
}

export interface ListenerHandlers {
  readonly onRequest: (request: NodeRequest, response: NodeResponse) => void;
  /** Is offered each stream of HTTP/2 before a request is made of it. False: it does not want it. */
  readonly takeStream?: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => boolean;
}

/**
 * One port, or one Unix socket, for HTTP/1.1 and HTTP/2. With TLS the two sides agree on one of them. Without, nothing
 * negotiates between them, and Node's servers speak one each: the first bytes of a connection tell which of the two it
 * is handed to.
 */
export class Listener {
  readonly #server: net.Server | tls.Server;
  readonly #http1: http.Server;
  readonly #http2: http2.Http2Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #sessions = new Set<http2.ServerHttp2Session>();
  readonly #options: ListenerOptions;
  #address = '';
  #quietUntilMs = Number.NEGATIVE_INFINITY;

  private constructor({ onRequest, takeStream }: ListenerHandlers, options: ListenerOptions) {
    this.#options = options;
    this.#http1 = http.createServer(options.timeouts ?? {}, onRequest);
    // This server has no port of its own; without the event it would watch over none of its timeouts.
    this.#http1.emit('listening');
    const settings = { maxConcurrentStreams: options.maxStreamsPerConnection };
    this.#http2 = http2.createServer({ maxSessionMemory: sessionMemoryMegabytes, settings, ...streamResets });
    // Makes requests of streams, and is used for nothing else.
    const requests = http2.createServer(onRequest);
    this.#http2.on('stream', (stream, headers, ...rest) => {
      if (takeStream?.(stream, headers) !== true) requests.emit('stream', stream, headers, ...rest);
    });
    this.#http2.on('session', (session) => {
      closeInTwoSteps(session, options.clock);
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    this.#server = options.tls === undefined ? net.createServer({ noDelay: true }) : this.#tlsServer(options.tls);
    this.#server.on('connection', (socket) => this.#accept(socket));
    this.#server.maxConnections = options.maxConnections;
    this.#server.on('drop', () => this.#onDrop());
  }

  /** Resolves when it listens. Rejects with `in-use` when something else listens there, else with Node's error. */
  static async open(address: Address, handlers: ListenerHandlers, options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(handlers, options);
    try {
      await listen(listener.#server, address);
    } catch (error) {
      listener.#http1.close();
      throw error;
    }
    listener.#address = addressText(boundTo(listener.#server) ?? address);
    return listener;
  }

  /** As it was bound: `host:port` or `unix:path`. */
  get address(): string {
    return this.#address;
  }

  /** What connections are encrypted with that are opened from now on. */
  setSecureContext(context: tls.SecureContextOptions): void {
    (this.#server as tls.Server).setSecureContext(context);
  }

  /** Accepts no more connections, and tells HTTP/2 clients that no more calls are accepted on theirs. */
  stop(): void {
    this.#server.close();
    this.#http1.closeIdleConnections();
    for (const session of this.#sessions) session.close();
  }

  /** After {@link stop}: resolves when the HTTP/2 connections have sent all they had to send and have closed. */
  async drained(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => new Promise((resolve) => session.once('close', resolve))));
  }

  /** Ends all connections. Resolves when the port is free. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    this.#http1.close();
    await closed;
  }

  #tlsServer({ context, asksForClientCert }: NonNullable<ListenerOptions['tls']>): tls.Server {
    const server = tls.createServer({
      ...context,
      noDelay: true,
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: firstBytesMs,
      // Who shows no valid certificate is told so by the status of the call.
      ...(asksForClientCert && { requestCert: true, rejectUnauthorized: false }),
    });
    server.on('secureConnection', (socket) => {
      // Node ends a connection that has an error, and that is all there is to know.
      socket.on('error', () => {});
      this.#hand(socket, socket.alpnProtocol === 'h2' ? 'http2' : 'http1');
    });
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    return server;
  }

  #accept(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    const { clock, tls } = this.#options;
    if (tls === undefined) firstProtocol(socket, firstBytesMs, clock, (protocol) => this.#hand(socket, protocol));
  }

  #hand(socket: net.Socket, protocol: 'http1' | 'http2'): void {
    const { keepalive, clock, tls } = this.#options;
    describeConnection(socket, this.#address, tls?.asksForClientCert ?? false);
    if (protocol === 'http1') {
      // There is no ping: the system looks whether the other end is still there.
      if (keepalive !== undefined) socket.setKeepAlive(true, keepalive.pingIntervalMs);
      this.#http1.emit('connection', socket);
      return;
    }
    const onSession = (session: http2.ServerHttp2Session) => {
      if (keepalive === undefined) return;
      keepAlive(session, socket, keepalive, clock, () => {
        session.destroy();
        socket.destroy();
      });
    };
    // The session is made, and the event sent, before the server has returned.
    this.#http2.once('session', onSession);
    this.#http2.emit('connection', socket);
    this.#http2.off('session', onSession);
  }

  #onDrop(): void {
    const { clock, logger, maxConnections } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + dropWarningMs;
    logger.warn({ maxConnections }, 'connections are refused, because there are as many as may be');
  }
}

function boundTo(server: net.Server): Address | undefined {
  const bound = server.address();
  return bound === null || typeof bound === 'string' ? undefined : { host: bound.address, port: bound.port };
}
