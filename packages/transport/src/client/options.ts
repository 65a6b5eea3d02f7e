import type { TypeLookup } from '@cosi-ts/proto';
import { type Clock, systemClock } from '@cosi-ts/state';
import { checkMaxMessageBytes, defaultMaxMessageBytes } from '../limits.js';

export interface ConnectStateOptions {
  /** The declarations by which specs are printed whose resources have none of their own. Default: none. */
  readonly types?: TypeLookup | undefined;
  /** The largest request and answer. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

export interface ResolvedConnectStateOptions {
  readonly types: TypeLookup | undefined;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
}

export const defaultConnectStateOptions: ResolvedConnectStateOptions = Object.freeze({
  types: undefined,
  maxMessageBytes: defaultMaxMessageBytes,
  clock: systemClock,
});

/** Throws a `RangeError` that names the field. */
export function resolveConnectStateOptions(options: ConnectStateOptions = {}): ResolvedConnectStateOptions {
  const defaults = defaultConnectStateOptions;
  return Object.freeze({
    types: options.types ?? defaults.types,
    maxMessageBytes: checkMaxMessageBytes(options.maxMessageBytes ?? defaults.maxMessageBytes),
    clock: options.clock ?? defaults.clock,
  });
}

/** The origin that calls go to. Throws a `TypeError` for what is no URL of a server. */
export function serverUrl(url: string): string {
  const wanted = `a state is connected to by a URL such as http://127.0.0.1:4001, not by ${JSON.stringify(url)}`;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || !URL.canParse(url)) throw new TypeError(wanted);
  const { protocol, origin, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${url} begins with neither http: nor https:`);
  if (pathname !== '/' || search !== '' || hash !== '' || username !== '' || password !== '') {
    throw new TypeError(`${url} names more than a host and a port`);
  }
  return origin;
}
