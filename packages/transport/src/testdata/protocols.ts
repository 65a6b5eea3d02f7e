import net from 'node:net';
import tls from 'node:tls';
import type { Interceptor, Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import type { Issued } from './certificates.js';

export interface Target {
  /** `http://…`, `https://…` or `unix:path`. */
  readonly url: string;
  /** The authority of the server. */
  readonly ca?: string | undefined;
  /** What the client shows. */
  readonly shows?: Issued | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Every protocol that a server speaks, over both versions of HTTP. */
export const protocols = {
  'gRPC over HTTP/2': (target: Target) => createGrpcTransport(options2(target)),
  'gRPC-Web over HTTP/1.1': (target: Target) => createGrpcWebTransport(options1(target)),
  'gRPC-Web over HTTP/2': (target: Target) => createGrpcWebTransport(options2(target)),
  'Connect over HTTP/1.1': (target: Target) => createConnectTransport(options1(target)),
  'Connect over HTTP/2': (target: Target) => createConnectTransport(options2(target)),
  'Connect in JSON': (target: Target) => createConnectTransport({ ...options1(target), useBinaryFormat: false }),
} satisfies Readonly<Record<string, (target: Target) => Transport>>;

export const protocolEntries = Object.entries(protocols);

function options1(target: Target) {
  const { socketPath, baseUrl } = placeOf(target);
  const nodeOptions = { ...credentials(target), ...(socketPath !== undefined && { socketPath }) };
  return { httpVersion: '1.1' as const, baseUrl, nodeOptions, ...withHeaders(target) };
}

function options2(target: Target) {
  const { socketPath, baseUrl } = placeOf(target);
  const given = credentials(target);
  const connect = () =>
    target.ca === undefined
      ? net.connect({ path: socketPath as string })
      : tls.connect({ path: socketPath as string, ...given, servername: 'localhost', ALPNProtocols: ['h2'] });
  const nodeOptions = { ...given, ...(socketPath !== undefined && { createConnection: connect }) };
  return { httpVersion: '2' as const, baseUrl, nodeOptions, ...withHeaders(target) };
}

function placeOf({ url, ca }: Target): { readonly baseUrl: string; readonly socketPath: string | undefined } {
  if (!url.startsWith('unix:')) return { baseUrl: url, socketPath: undefined };
  return { baseUrl: `${ca === undefined ? 'http' : 'https'}://localhost`, socketPath: url.slice('unix:'.length) };
}

function credentials({ ca, shows }: Target) {
  return { ...(ca !== undefined && { ca }), ...(shows !== undefined && { cert: shows.cert, key: shows.key }) };
}

function withHeaders({ headers = {} }: Target) {
  const interceptor: Interceptor = (next) => (request) => {
    for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
    return next(request);
  };
  return { interceptors: [interceptor] };
}
