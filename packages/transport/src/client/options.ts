import { checkTime } from './deadline.js';
import type { KeepaliveTimes } from './node/keepalive.js';
import { secureOptions } from './node/secure-options.js';
import type { ClientTls } from './node/tls-options.js';
import {
  defaultRemoteStateOptions,
  type RemoteStateOptions,
  type ResolvedRemoteStateOptions,
  resolveRemoteStateOptions,
} from './remote-options.js';

/** How a server that has fallen silent is noticed, while calls are open. */
export interface KeepaliveOptions {
  /** How long after a ping a server of ours is sent the next one. Default: 10 000. */
  readonly intervalMs?: number | undefined;
  /** How long a ping may be followed by nothing at all. Default: 5000. */
  readonly timeoutMs?: number | undefined;
  /**
   * How long after a ping other servers are sent the next one. Servers written in Go end connections, unless they were
   * told otherwise, on which more than one comes in 5 minutes. Default: 310 000.
   */
  readonly unknownIntervalMs?: number | undefined;
}

export interface ConnectStateOptions extends RemoteStateOptions {
  /** Whom the client trusts and how it proves who it is. For `https:` URLs. Default: what Node trusts, and no proof. */
  readonly tls?: ClientTls | undefined;
  readonly keepalive?: KeepaliveOptions | undefined;
  /** How long a server may take for its first words on a new connection. Default: 10 000. */
  readonly connectTimeoutMs?: number | undefined;
}

export interface ResolvedConnectStateOptions extends ResolvedRemoteStateOptions {
  readonly tls: ClientTls | undefined;
  readonly keepalive: KeepaliveTimes;
  readonly connectTimeoutMs: number;
}

export const defaultConnectStateOptions: ResolvedConnectStateOptions = Object.freeze({
  ...defaultRemoteStateOptions,
  tls: undefined,
  keepalive: Object.freeze({ intervalMs: 10_000, timeoutMs: 5000, unknownIntervalMs: 310_000 }),
  connectTimeoutMs: 10_000,
});

/** Throws a `RangeError` that names the field, and a `TypeError` for certificates and keys that cannot be used. */
export function resolveConnectStateOptions(options: ConnectStateOptions = {}): ResolvedConnectStateOptions {
  const { keepalive, connectTimeoutMs } = defaultConnectStateOptions;
  const { intervalMs, timeoutMs, unknownIntervalMs } = options.keepalive ?? {};
  const { tls } = options;
  if (tls !== undefined && typeof tls !== 'function') checkTls(tls);
  return Object.freeze({
    ...resolveRemoteStateOptions(options),
    tls,
    keepalive: Object.freeze({
      intervalMs: checkTime('keepalive.intervalMs', intervalMs ?? keepalive.intervalMs),
      timeoutMs: checkTime('keepalive.timeoutMs', timeoutMs ?? keepalive.timeoutMs),
      unknownIntervalMs: checkTime('keepalive.unknownIntervalMs', unknownIntervalMs ?? keepalive.unknownIntervalMs),
    }),
    connectTimeoutMs: checkTime('connectTimeoutMs', options.connectTimeoutMs ?? connectTimeoutMs),
  });
}

function checkTls(tls: Exclude<ClientTls, () => unknown>): void {
  try {
    secureOptions(tls);
  } catch (cause) {
    throw new TypeError(`tls holds what cannot be used: ${(cause as Error).message}`, { cause });
  }
}
