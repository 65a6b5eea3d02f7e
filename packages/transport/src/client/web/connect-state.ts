import { createGrpcWebTransport } from '@connectrpc/connect-web';
import { connectChannel } from '../connect-channel.js';
import { checkTime } from '../deadline.js';
import { type RemoteStateOptions, resolveRemoteStateOptions, tokensFor } from '../remote-options.js';
import { type RemoteState, remoteState } from '../remote-state.js';
import { isLoopback, parseHttpUrl } from '../server-url.js';
import { limitedFetch } from './limited-fetch.js';

export interface ConnectStateOptions extends RemoteStateOptions {
  /** Makes the requests. Default: the host's. */
  readonly fetch?: typeof fetch | undefined;
  /** Whether cookies go with the requests. Default: to the page's own origin. */
  readonly credentials?: RequestCredentials | undefined;
  /**
   * A watch on which nothing came for so long asks for a new stream from where it is: browsers do not tell of a server
   * that has fallen silent. Default: 60 000.
   */
  readonly maxSilenceMs?: number | undefined;
}

const defaultMaxSilenceMs = 60_000;

/**
 * A state that is served elsewhere, for pages in browsers and other hosts with `fetch`: gRPC-Web over whatever HTTP the
 * host speaks. The same interface, the same errors, and watches that go on, as from Node.
 *
 * @param url where the server listens: `https://state.example.org`, or the page's own `location.origin`
 */
export function connectState(url: string, options: ConnectStateOptions = {}): RemoteState {
  const { origin, hostname, secure } = parseHttpUrl(url);
  const maxSilenceMs = checkTime('maxSilenceMs', options.maxSilenceMs ?? defaultMaxSilenceMs);
  const resolved = { ...resolveRemoteStateOptions(options), maxSilenceMs };
  const tokens = tokensFor(resolved, url, secure || isLoopback(hostname));
  const { fetch: given = globalThis.fetch.bind(globalThis), credentials = 'same-origin' } = options;
  const transport = createGrpcWebTransport({
    baseUrl: origin,
    useBinaryFormat: true,
    fetch: limitedFetch(given, { credentials }, resolved.maxMessageBytes),
  });
  return remoteState(connectChannel(transport, true), resolved, () => {}, tokens);
}
