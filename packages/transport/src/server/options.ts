import type { TypeLookup } from '@cosi-ts/proto';
import { type Clock, checkDelay, systemClock } from '@cosi-ts/state';
import { checkMaxMessageBytes, defaultMaxMessageBytes } from '../limits.js';
import { type Logger, silentLogger } from '../logger.js';

export interface ServeStateOptions {
  /** `host:port`; an IPv6 host is in brackets, port 0 takes a free one. Default: `127.0.0.1:4001`. */
  readonly address?: string | undefined;
  /** The declarations by which specs are printed whose resources came without YAML. Default: none. */
  readonly types?: TypeLookup | undefined;
  /** The largest request and response. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How long `close` waits for calls other than watches. Default: 10 000. */
  readonly drainMs?: number | undefined;
  /** Default: none. */
  readonly logger?: Logger | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

export interface ResolvedServeStateOptions {
  readonly address: string;
  readonly types: TypeLookup | undefined;
  readonly maxMessageBytes: number;
  readonly drainMs: number;
  readonly logger: Logger;
  readonly clock: Clock;
}

export const defaultServeStateOptions: ResolvedServeStateOptions = Object.freeze({
  address: '127.0.0.1:4001',
  types: undefined,
  maxMessageBytes: defaultMaxMessageBytes,
  drainMs: 10_000,
  logger: silentLogger,
  clock: systemClock,
});

/** Throws a `RangeError` or `TypeError` that names the field. */
export function resolveServeStateOptions(options: ServeStateOptions = {}): ResolvedServeStateOptions {
  const defaults = defaultServeStateOptions;
  return Object.freeze({
    address: options.address ?? defaults.address,
    types: options.types ?? defaults.types,
    maxMessageBytes: checkMaxMessageBytes(options.maxMessageBytes ?? defaults.maxMessageBytes),
    drainMs: checkDelay(options.drainMs ?? defaults.drainMs),
    logger: options.logger ?? defaults.logger,
    clock: options.clock ?? defaults.clock,
  });
}
