import { ResponseBodyError } from './response-body.js';

export interface Message {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Go only to the origin of the first URL. */
  readonly secretHeaders: Headers;
  readonly body: string | undefined;
}

export interface SendOptions {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  readonly maxRedirects: number;
  /** Statuses that end it, also when they redirect. */
  readonly isExpected: (status: number) => boolean;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a message, and follows redirections. That is done here since the host would take headers along to wherever a
 * server sends it, but for a few that it knows to be secret.
 */
export async function send(message: Message, options: SendOptions): Promise<Response> {
  const { signal, maxRedirects, isExpected } = options;
  const { origin } = message.url;
  let { method, url, body } = message;
  const headers = new Headers(message.headers);
  for (let count = 0; ; count++) {
    const sent = new Headers(headers);
    if (url.origin === origin) for (const [name, value] of message.secretHeaders) sent.set(name, value);
    const response = await options.fetch(url, {
      method,
      headers: sent,
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const location = response.headers.get('location');
    if (isExpected(response.status) || !redirects.has(response.status) || location === null) return response;
    await response.body?.cancel();
    if (count === maxRedirects) throw new ResponseBodyError(`more than ${maxRedirects} redirections`);
    url = nextUrl(location, url);
    // As the Fetch Standard has it, from what browsers always did.
    if ((response.status === 303 && method !== 'HEAD') || (response.status < 303 && method === 'POST')) {
      method = 'GET';
      body = undefined;
      for (const name of ['content-type', 'content-encoding', 'content-language']) headers.delete(name);
    }
  }
}

function nextUrl(location: string, from: URL): URL {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new ResponseBodyError(`a redirection to ${location.slice(0, 200)}, which is no address of the web`);
  }
  return url;
}
