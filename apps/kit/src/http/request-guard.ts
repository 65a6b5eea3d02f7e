import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Problem } from './problem.js';

/**
 * Keeps other web sites out. Without a password, all that stands between a page on the internet and this server is the
 * browser: it can be made to send requests here (cross-site request forgery), and to take a name of the attacker's for
 * this address (DNS rebinding).
 *
 * So the name in `Host` must be one that nobody else can own: an IP address, `localhost`, or one that was allowed. And
 * a request that changes something must not come from a page of another origin, which browsers say in `Origin` and
 * `Sec-Fetch-Site`. Programs send neither and pass.
 *
 * @param allowedHosts further names, without a port
 */
export function checkRequest(request: IncomingMessage, allowedHosts: readonly string[]): void {
  const host = request.headers.host ?? '';
  const name = hostName(host);
  const isLocal = name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
  if (!isLocal && !allowedHosts.includes(name)) {
    throw new Problem(403, 'wrong-host', `this server does not go by the name ${JSON.stringify(name)}`, {
      hint: `use http://127.0.0.1, or start it with --allow-host ${name === '' ? 'NAME' : name}`,
    });
  }
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isForeign =
    (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) ||
    site === 'cross-site' ||
    site === 'same-site';
  if (isForeign) {
    throw new Problem(403, 'cross-origin', `a page from ${origin ?? 'elsewhere'} may not change anything here`);
  }
}

/** The host of `host:port`, in lower case and without the brackets of IPv6. */
function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(host);
  return (bracketed?.[1] ?? host.replace(/:\d+$/, '')).toLowerCase();
}
