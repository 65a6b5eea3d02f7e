import type { TypeLookup } from '@cosi-ts/proto';
import {
  type BackoffOptions,
  type Clock,
  type Random,
  resolveBackoff,
  systemClock,
  systemRandom,
} from '@cosi-ts/state';
import { checkMaxMessageBytes, defaultMaxMessageBytes } from '../limits.js';
import { type Logger, silentLogger } from '../logger.js';

export interface ConnectStateOptions {
  /** The declarations by which specs are printed whose resources have none of their own. Default: none. */
  readonly types?: TypeLookup | undefined;
  /** The largest request and answer. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Whether a watch whose stream broke goes on from its last bookmark by itself. Otherwise it ends with an errored event.
   * Default: true.
   */
  readonly resume?: boolean | undefined;
  /** The delays before the attempts to resume a watch. Default: from 0.5 s doubling to 30 s, ± 20 %. */
  readonly resumeBackoff?: BackoffOptions | undefined;
  /** Is told of watches that broke. Default: nobody. */
  readonly logger?: Logger | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Default: the system's. */
  readonly random?: Random | undefined;
}

export interface ResolvedConnectStateOptions {
  readonly types: TypeLookup | undefined;
  readonly maxMessageBytes: number;
  readonly resume: boolean;
  readonly resumeBackoff: Required<BackoffOptions>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

export const defaultConnectStateOptions: ResolvedConnectStateOptions = Object.freeze({
  types: undefined,
  maxMessageBytes: defaultMaxMessageBytes,
  resume: true,
  resumeBackoff: resolveBackoff({ initialMs: 500, maxMs: 30_000 }),
  logger: silentLogger,
  clock: systemClock,
  random: systemRandom,
});

/** Throws a `RangeError` that names the field. */
export function resolveConnectStateOptions(options: ConnectStateOptions = {}): ResolvedConnectStateOptions {
  const defaults = defaultConnectStateOptions;
  return Object.freeze({
    types: options.types ?? defaults.types,
    maxMessageBytes: checkMaxMessageBytes(options.maxMessageBytes ?? defaults.maxMessageBytes),
    resume: options.resume ?? defaults.resume,
    resumeBackoff: resolveBackoff({ ...defaults.resumeBackoff, ...options.resumeBackoff }),
    logger: options.logger ?? defaults.logger,
    clock: options.clock ?? defaults.clock,
    random: options.random ?? defaults.random,
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
