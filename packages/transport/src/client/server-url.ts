/** The parts of a URL that names a server and nothing more. */
export interface HttpServer {
  readonly origin: string;
  /** With the port, where it is not the default one. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly secure: boolean;
}

/** Reads `http://host:port` or `https://host:port`. Throws a `TypeError` for anything else. */
export function parseHttpUrl(url: string): HttpServer {
  checkUrlText(url);
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || !URL.canParse(url)) throw noUrl(`by ${JSON.stringify(url)}`);
  const { protocol, origin, host, hostname, port, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${url} begins with neither http: nor https:`);
  if (pathname !== '/' || search !== '' || hash !== '' || username !== '' || password !== '') {
    throw new TypeError(`${url} names more than a host and a port`);
  }
  return { origin, host, hostname, port, secure: protocol === 'https:' };
}

/** Throws a `TypeError` for what is no text: an environment variable that is not set, or a `URL` object. */
export function checkUrlText(url: unknown): void {
  if (typeof url !== 'string') throw noUrl(url instanceof URL ? 'by a URL object: give its href' : `by ${String(url)}`);
}

/** Whether a host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname);
}

function noUrl(given: string): TypeError {
  return new TypeError(`a state is connected to by a URL such as http://127.0.0.1:4001, not ${given}`);
}
