import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import type { Clock } from '@cosi-ts/state';
import { sessionMemoryMegabytes } from '../limits.js';
import { type Address, addressText } from './address.js';
import type { NodeRequest, NodeResponse } from './node-response.js';

/** What every HTTP/2 connection without TLS begins with. */
const prefaceStart = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** How long a connection may be open before it has said which protocol it speaks. */
const firstBytesMs = 10_000;

/** How long a request over HTTP/1.1 may take to arrive. Default: Node's, a minute for its head and five for all of it. */
export type RequestTimeouts = Pick<
  http.ServerOptions,
  'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'
>;

/**
 * One port for HTTP/1.1 and HTTP/2. Without TLS there is nothing that negotiates between them, and Node's servers speak
 * one each: the first bytes of a connection tell which of the two it is handed to.
 */
export class Listener {
  readonly #server: net.Server;
  readonly #http1: http.Server;
  readonly #http2: http2.Http2Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #sessions = new Set<http2.ServerHttp2Session>();
  readonly #clock: Clock;

  private constructor(
    onRequest: (request: NodeRequest, response: NodeResponse) => void,
    clock: Clock,
    timeouts: RequestTimeouts,
  ) {
    this.#clock = clock;
    this.#http1 = http.createServer(timeouts, onRequest);
    // This server has no port of its own; without the event it would watch over none of its timeouts.
    this.#http1.emit('listening');
    this.#http2 = http2.createServer({ maxSessionMemory: sessionMemoryMegabytes }, onRequest);
    this.#http2.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    this.#server = net.createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Resolves when the port is open. Rejects with Node's error when it cannot be opened. */
  static async open(
    { host, port }: Address,
    onRequest: (request: NodeRequest, response: NodeResponse) => void,
    clock: Clock,
    timeouts: RequestTimeouts = {},
  ): Promise<Listener> {
    const listener = new Listener(onRequest, clock, timeouts);
    await new Promise<void>((resolve, reject) => {
      listener.#server.once('error', reject);
      listener.#server.listen({ host, port }, () => {
        listener.#server.off('error', reject);
        resolve();
      });
    });
    return listener;
  }

  /** `host:port` as it was bound. */
  get address(): string {
    const { address, port } = this.#server.address() as net.AddressInfo;
    return addressText({ host: address, port });
  }

  /** Accepts no more connections, and tells HTTP/2 clients that no more calls are accepted on theirs. */
  stop(): void {
    this.#server.close();
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

  #accept(socket: net.Socket): void {
    this.#sockets.add(socket);
    const timer = this.#clock.schedule(firstBytesMs, () => socket.destroy());
    let first: Buffer = Buffer.alloc(0);
    socket.once('close', () => {
      timer.cancel();
      this.#sockets.delete(socket);
    });
    // A connection that breaks is closed after this, and that is all there is to know.
    socket.on('error', () => {});
    const onReadable = () => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      first = Buffer.concat([first, chunk]);
      const protocol = protocolOf(first);
      if (protocol === undefined) return;
      timer.cancel();
      socket.off('readable', onReadable);
      socket.unshift(first);
      (protocol === 'http2' ? this.#http2 : this.#http1).emit('connection', socket);
    };
    socket.on('readable', onReadable);
  }
}

/** Undefined when more bytes are needed to tell. */
function protocolOf(first: Buffer): 'http1' | 'http2' | undefined {
  const length = Math.min(first.length, prefaceStart.length);
  if (first.compare(prefaceStart, 0, length, 0, length) !== 0) return 'http1';
  return first.length >= prefaceStart.length ? 'http2' : undefined;
}
