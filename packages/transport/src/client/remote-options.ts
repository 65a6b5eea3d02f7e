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
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

export const defaultRemoteStateOptions: ResolvedRemoteStateOptions = Object.freeze({
  types: undefined,
  maxMessageBytes: defaultMaxMessageBytes,
  resume: true,
  resumeBackoff: resolveBackoff({ initialMs: 500, maxMs: 30_000 }),
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
    logger: options.logger ?? defaults.logger,
    clock: options.clock ?? defaults.clock,
    random: options.random ?? defaults.random,
  };
}
