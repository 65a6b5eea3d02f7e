import type net from 'node:net';

/** Where connections go. */
export type Target = net.NetConnectOpts;

/** Reads `host:port`, a URL of both such as `http://127.0.0.1:4001`, or the absolute path of a Unix socket. */
export function parseTarget(text: string): Target {
  if (text.startsWith('/')) return { path: text };
  const url = text.includes('://') ? text : `tcp://${text}`;
  const { hostname, port } = URL.canParse(url) ? new URL(url) : { hostname: '', port: '' };
  if (hostname === '' || port === '')
    throw new TypeError(`a target is host:port, a URL with a port, or the path of a socket, not ${text}`);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}
