import type http2 from 'node:http2';
import type net from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Stop } from '../stop.js';
import { type ShownCertificate, shownCertificate, unshown } from './client-certificate.js';
import { UnsentBytes } from './unsent-bytes.js';

/** What is known of a connection, whatever is spoken on it. */
export interface Connection {
  /** `host:port` of the client, or the path of the socket. */
  readonly peer: string;
  readonly shown: ShownCertificate;
  /** What its streams hold that has not been sent. */
  readonly unsent: UnsentBytes;
  /** Stops when the connection has been closed. */
  readonly closed: Stop;
}

/** For requests whose connection is gone already. */
const gone: Connection = Object.freeze({
  peer: '',
  shown: unshown('the connection is gone'),
  unsent: new UnsentBytes(),
  closed: stopped(),
});

const key: unique symbol = Symbol('connection');

type WithConnection = { [key]?: Connection };

/** Remembers what is known of the connection with its socket, before any request comes. */
export function describeConnection(socket: net.Socket, local: string, asksForClientCert: boolean): void {
  const closed = new Stop();
  socket.once('close', () => closed.stop(undefined));
  (socket as WithConnection)[key] = Object.freeze({
    peer: peerOf(socket, local),
    shown: asksForClientCert ? shownCertificate(socket as TLSSocket) : unshown(undefined),
    unsent: new UnsentBytes(),
    closed,
  });
}

/** The connection of a request. For HTTP/2, Node gives access to the socket through a proxy, which passes this on. */
export function connectionOf({ socket }: { readonly socket: net.Socket | undefined }): Connection {
  return (socket as WithConnection | undefined)?.[key] ?? gone;
}

/** The same for a stream of HTTP/2. Kept with its session: the proxy takes longer than to look it up there. */
export function connectionOfStream({ session }: http2.ServerHttp2Stream): Connection {
  if (session === undefined) return gone;
  const known = session as http2.ServerHttp2Session & WithConnection;
  known[key] ??= connectionOf(session);
  return known[key];
}

function peerOf({ remoteAddress, remotePort }: net.Socket, local: string): string {
  if (remotePort === undefined) return remoteAddress ?? local;
  return remoteAddress?.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

function stopped(): Stop {
  const stop = new Stop();
  stop.stop(undefined);
  return stop;
}
