import { checkUrlText, isLoopback, parseHttpUrl } from '../server-url.js';

/** Where a server is, as Node connects to it. */
export interface ServerAddress {
  /** The origin of the URLs that requests are made with. */
  readonly origin: string;
  /** What requests name. */
  readonly host: string;
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly secure: boolean;
  /** Whether what is sent stays on this machine. */
  readonly local: boolean;
  /** For people. */
  readonly text: string;
}

const unixScheme = 'unix:';

/** Reads the URL of a server: `http://`, `https://` or `unix:` with the path of a socket. Throws a `TypeError`. */
export function parseServerUrl(url: string): ServerAddress {
  checkUrlText(url);
  return url.startsWith(unixScheme) ? socketAddress(url) : networkAddress(url);
}

function socketAddress(url: string): ServerAddress {
  // `unix:///run/state.sock` is what gRPC programs write.
  const path = url.slice(unixScheme.length).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.includes('\0')) throw new TypeError(`${JSON.stringify(url)} names no socket file`);
  const host = 'localhost';
  return { origin: `http://${host}`, host, target: { path }, secure: false, local: true, text: unixScheme + path };
}

function networkAddress(url: string): ServerAddress {
  const { origin, host, hostname, port, secure } = parseHttpUrl(url);
  // Brackets of IPv6 hosts belong to URLs only.
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (secure ? 443 : 80)) };
  return { origin, host, target, secure, local: isLoopback(hostname), text: origin };
}
