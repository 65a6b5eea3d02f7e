import { isIP } from 'node:net';
import { cors as known } from '@connectrpc/connect';
import type { NodeRequest, NodeResponse } from './node-response.js';

export interface CorsOptions {
  /** The origins whose pages may call, such as `https://console.example.org`; `*` for all. */
  readonly origins: readonly string[];
  /** Whether browsers may send cookies along, by which an authenticator can know who calls. Default: false. */
  readonly credentials?: boolean | undefined;
}

/** How long browsers may rely on what they were told, in seconds. Their own limit is two hours. */
const maxAgeSeconds = 7200;

const allowedHeaders = [...known.allowedHeaders, 'Authorization'].join(', ');
const exposedHeaders = [...known.exposedHeaders, 'Server'].join(', ');

/**
 * What pages in browsers may do. A page of another origin may call when its origin is listed. Without an origin a call
 * is not from a page. Pages of the server's own origin may call when that is an address or localhost: a name can be
 * anyone's who lets it point here, and the page then as well, and no browser notices.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #credentials: boolean;

  constructor({ origins, credentials = false }: CorsOptions = { origins: [] }) {
    for (const origin of origins) checkOrigin(origin);
    if (credentials && origins.includes('*'))
      throw new TypeError('with credentials, any page could call as whoever looks at it: list the origins one by one');
    this.#origins = new Set(origins);
    this.#credentials = credentials;
  }

  /** What to do with the request: to refuse it, to answer that it may be made, or to make it. Sets headers of the answer. */
  judge(request: NodeRequest, response: NodeResponse): 'refuse' | 'preflight' | 'call' {
    const { origin } = request.headers;
    if (origin === undefined) return 'call';
    response.setHeader('vary', 'origin');
    if (!this.#origins.has(origin) && !this.#origins.has('*')) {
      return isSameOrigin(origin, authorityOf(request)) ? 'call' : 'refuse';
    }
    response.setHeader('access-control-allow-origin', origin);
    if (this.#credentials) response.setHeader('access-control-allow-credentials', 'true');
    if (request.method !== 'OPTIONS') {
      response.setHeader('access-control-expose-headers', exposedHeaders);
      return 'call';
    }
    response.setHeader('access-control-allow-methods', known.allowedMethods.join(', '));
    response.setHeader('access-control-allow-headers', allowedHeaders);
    response.setHeader('access-control-max-age', String(maxAgeSeconds));
    return 'preflight';
  }
}

function authorityOf(request: NodeRequest): string {
  return ('authority' in request ? request.authority : request.headers.host) ?? '';
}

function isSameOrigin(origin: string, authority: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { host, hostname } = new URL(origin);
  return host === authority && (hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0);
}

function checkOrigin(origin: string): void {
  if (origin === '*') return;
  const isWeb = /^https?:/i.test(origin);
  if (isWeb ? URL.canParse(origin) && new URL(origin).origin === origin : /^[a-z][a-z0-9+.-]*:\/\/[^/]+$/.test(origin))
    return;
  throw new TypeError(
    `an origin is a scheme, a host and a port, such as https://example.org, not ${JSON.stringify(origin)}`,
  );
}
