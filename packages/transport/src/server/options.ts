import type { TypeLookup } from '@cosi-ts/proto';
import { InvalidArgumentError } from '@cosi-ts/resource';
import { type Clock, checkDelay, systemClock } from '@cosi-ts/state';
import type { Meter } from '@opentelemetry/api';
import { checkMaxMessageBytes, defaultMaxMessageBytes } from '../limits.js';
import { type Logger, silentLogger, sturdyLogger } from '../logger.js';
import type { AccessLog } from './access-log.js';
import { type Address, addressText, isLocal, parseAddress } from './address.js';
import { type Authenticator, certificateIdentity } from './authenticator.js';
import type { CorsOptions } from './cors.js';
import type { KeepaliveOptions } from './keepalive.js';
import { type ResolvedServerTlsOptions, resolveServerTlsOptions, type ServerTlsOptions } from './tls-options.js';

export interface ServeStateOptions {
  /**
   * `host:port`, where an IPv6 host is in brackets and port 0 takes a free one, or `unix:path`.
   * Default: `127.0.0.1:4001`.
   */
  readonly address?: string | undefined;
  /** Certificate and key, as texts or as files. Default: connections are not encrypted. */
  readonly tls?: ServerTlsOptions | undefined;
  /** Says who calls. Default: the common name of the client's certificate, where TLS asks for one; else nobody is asked. */
  readonly authenticate?: Authenticator | undefined;
  /** Serve beyond this machine without TLS and without asking who calls. Default: false. */
  readonly insecure?: boolean | undefined;
  /** The declarations by which specs are printed whose resources came without YAML. Default: none. */
  readonly types?: TypeLookup | undefined;
  /** The largest request and response. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many connections there may be. More are refused. Default: 10 000. */
  readonly maxConnections?: number | undefined;
  /** How many calls there may be at a time on one HTTP/2 connection. More have to wait. Default: 100 000. */
  readonly maxStreamsPerConnection?: number | undefined;
  /** How long a client may be silent before it is asked for a sign of life. 0: for good. Default: 10 000. */
  readonly pingIntervalMs?: number | undefined;
  /** How long it has for that, before its connection is ended. Default: 5000. */
  readonly pingTimeoutMs?: number | undefined;
  /** How long `close` waits for calls other than watches. Default: 10 000. */
  readonly drainMs?: number | undefined;
  /** The pages in browsers that may call. Default: those of none but the server's own address. */
  readonly cors?: CorsOptions | undefined;
  /** Where one line is written for each call. Default: nowhere. */
  readonly accessLog?: AccessLog | undefined;
  /** What counts calls. Default: that of OpenTelemetry's global provider when the server is started. */
  readonly meter?: Meter | undefined;
  /** Default: none. */
  readonly logger?: Logger | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

export interface ResolvedServeStateOptions {
  readonly address: Address;
  readonly tls: ResolvedServerTlsOptions | undefined;
  readonly authenticate: Authenticator | undefined;
  readonly insecure: boolean;
  readonly types: TypeLookup | undefined;
  readonly maxMessageBytes: number;
  readonly maxConnections: number;
  readonly maxStreamsPerConnection: number;
  /** Undefined: never. */
  readonly keepalive: KeepaliveOptions | undefined;
  readonly drainMs: number;
  readonly cors: CorsOptions | undefined;
  readonly accessLog: AccessLog | undefined;
  readonly meter: Meter | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

export const defaultServeStateOptions = Object.freeze({
  address: '127.0.0.1:4001',
  insecure: false,
  maxMessageBytes: defaultMaxMessageBytes,
  maxConnections: 10_000,
  maxStreamsPerConnection: 100_000,
  pingIntervalMs: 10_000,
  pingTimeoutMs: 5000,
  drainMs: 10_000,
  logger: silentLogger,
  clock: systemClock,
} satisfies ServeStateOptions);

/**
 * Throws a `RangeError` or `TypeError` that names the field, and `invalid-argument` for a server that strangers could
 * reach and that would not ask them who they are.
 */
export function resolveServeStateOptions(options: ServeStateOptions = {}): ResolvedServeStateOptions {
  const defaults = defaultServeStateOptions;
  const tls = options.tls === undefined ? undefined : resolveServerTlsOptions(options.tls);
  const pingIntervalMs = checkDelay(options.pingIntervalMs ?? defaults.pingIntervalMs);
  const pingTimeoutMs = checkDelay(options.pingTimeoutMs ?? defaults.pingTimeoutMs);
  const resolved: ResolvedServeStateOptions = {
    address: parseAddress(options.address ?? defaults.address),
    tls,
    authenticate: options.authenticate ?? (tls?.asksForClientCert === true ? certificateIdentity() : undefined),
    insecure: options.insecure ?? defaults.insecure,
    types: options.types,
    maxMessageBytes: checkMaxMessageBytes(options.maxMessageBytes ?? defaults.maxMessageBytes),
    maxConnections: checkCount('maxConnections', options.maxConnections ?? defaults.maxConnections),
    maxStreamsPerConnection: checkCount(
      'maxStreamsPerConnection',
      options.maxStreamsPerConnection ?? defaults.maxStreamsPerConnection,
    ),
    keepalive: pingIntervalMs > 0 ? { pingIntervalMs, pingTimeoutMs } : undefined,
    drainMs: checkDelay(options.drainMs ?? defaults.drainMs),
    cors: options.cors,
    accessLog: options.accessLog,
    meter: options.meter,
    logger: options.logger === undefined ? defaults.logger : sturdyLogger(options.logger),
    clock: options.clock ?? defaults.clock,
  };
  checkOpenness(resolved);
  return Object.freeze(resolved);
}

/** HTTP/2 has 31-bit numbers of streams. */
const largestCount = 2 ** 31 - 1;

function checkCount(field: string, count: number): number {
  if (Number.isInteger(count) && count > 0 && count <= largestCount) return count;
  throw new RangeError(`${field} must be an integer from 1 to ${largestCount}, not ${count}`);
}

function checkOpenness({ address, tls, authenticate, insecure }: ResolvedServeStateOptions): void {
  if (insecure || tls !== undefined || authenticate !== undefined || isLocal(address)) return;
  throw new InvalidArgumentError(
    `${addressText(address)} can be reached from other machines, and everyone there could read and change the state: ` +
      'give `tls` and `authenticate`, serve on loopback, or say `insecure: true` if that is meant',
  );
}
