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
import { type Logger, silentLogger, sturdyLogger } from '../logger.js';
import { checkTime } from './deadline.js';
import { type TokenSource, Tokens } from './tokens.js';

/** What every client can be told, wherever it runs. */
export interface RemoteStateOptions {
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
  /**
   * A bearer token that calls carry, or a function that gives one. The function is asked again when the server refuses
   * the token. Default: none.
   */
  readonly token?: TokenSource | undefined;
  /** Whether the token may be sent unencrypted to another machine. Default: false. */
  readonly tokenOverHttp?: boolean | undefined;
  /**
   * How long calls may take that have no `timeoutMs` of their own: establishing a watch, too, but not the watch, and not
   * teardownAndDestroy. Default: any time.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a call is made again while the server cannot be reached, rather than fail at once. Reads are, and the calls
   * that establish watches, whenever they end as `unavailable`; writes only where it is certain that the server has not
   * begun with them: others reject with an error of which `isOutcomeUnknown` is true. Default: 0.
   */
  readonly waitForReadyMs?: number | undefined;
  /** Is told of watches that broke. Default: nobody. */
  readonly logger?: Logger | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Default: the system's. */
  readonly random?: Random | undefined;
}

export interface ResolvedRemoteStateOptions {
  readonly types: TypeLookup | undefined;
  readonly maxMessageBytes: number;
  readonly resume: boolean;
  readonly resumeBackoff: Required<BackoffOptions>;
  readonly token: TokenSource | undefined;
  readonly tokenOverHttp: boolean;
  readonly timeoutMs: number | undefined;
  readonly waitForReadyMs: number;
  readonly maxSilenceMs: number | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

export const defaultRemoteStateOptions: ResolvedRemoteStateOptions = Object.freeze({
  types: undefined,
  maxMessageBytes: defaultMaxMessageBytes,
  resume: true,
  resumeBackoff: resolveBackoff({ initialMs: 500, maxMs: 30_000 }),
  token: undefined,
  tokenOverHttp: false,
  timeoutMs: undefined,
  waitForReadyMs: 0,
  maxSilenceMs: undefined,
  logger: silentLogger,
  clock: systemClock,
  random: systemRandom,
});

/** Throws a `RangeError` that names the field. */
export function resolveRemoteStateOptions(options: RemoteStateOptions): ResolvedRemoteStateOptions {
  const defaults = defaultRemoteStateOptions;
  return {
    types: options.types ?? defaults.types,
    maxMessageBytes: checkMaxMessageBytes(options.maxMessageBytes ?? defaults.maxMessageBytes),
    resume: options.resume ?? defaults.resume,
    resumeBackoff: resolveBackoff({ ...defaults.resumeBackoff, ...options.resumeBackoff }),
    token: options.token,
    tokenOverHttp: options.tokenOverHttp ?? defaults.tokenOverHttp,
    timeoutMs: options.timeoutMs === undefined ? undefined : checkTime('timeoutMs', options.timeoutMs),
    waitForReadyMs: checkWait(options.waitForReadyMs ?? defaults.waitForReadyMs),
    maxSilenceMs: defaults.maxSilenceMs,
    logger: options.logger === undefined ? defaults.logger : sturdyLogger(options.logger),
    clock: options.clock ?? defaults.clock,
    random: options.random ?? defaults.random,
  };
}

function checkWait(ms: number): number {
  return ms === 0 ? 0 : checkTime('waitForReadyMs', ms);
}

/**
 * The tokens that the options speak of. Throws a `TypeError` when others could read them on their way.
 *
 * @param isPrivate whether what is sent is encrypted or stays on this machine
 */
export function tokensFor(
  { token, tokenOverHttp }: Pick<ResolvedRemoteStateOptions, 'token' | 'tokenOverHttp'>,
  url: string,
  isPrivate: boolean,
): Tokens | undefined {
  if (token === undefined) return undefined;
  if (isPrivate || tokenOverHttp) return new Tokens(token);
  throw new TypeError(`a token for ${url} could be read by others on its way: use https:, or set tokenOverHttp`);
}
