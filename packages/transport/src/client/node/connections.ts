import type { Clock } from '@cosi-ts/state';
import { type CancellationLimits, Connection, type ConnectionListener } from './connection.js';
import type { KeepaliveTimes } from './keepalive.js';
import type { ServerAddress } from './server-address.js';
import type { ClientTls } from './tls-options.js';

export interface ConnectionsOptions {
  readonly tls: ClientTls;
  readonly connectTimeoutMs: number;
  readonly keepalive: KeepaliveTimes;
  readonly clock: Clock;
}

/**
 * Node's servers end a whole connection, and every call on it with it, that cancels some 1000 streams at once or more
 * than 33 a second for long.
 */
const nodeLimits: CancellationLimits = Object.freeze({ burst: 900, perSecond: 30 });

/**
 * The connections to one server: one, as long as it can cancel all the streams that it has open. A call that it has no
 * room for opens another connection rather than wait; that one is closed when it is no longer used.
 */
export class Connections implements ConnectionListener {
  readonly #address: ServerAddress;
  readonly #options: ConnectionsOptions;
  readonly #limits: CancellationLimits;
  readonly #all = new Set<Connection>();
  /** So many times longer are the intervals between pings than asked for. */
  #patience = 1;

  constructor(address: ServerAddress, options: ConnectionsOptions, limits: CancellationLimits = nodeLimits) {
    this.#address = address;
    this.#options = options;
    this.#limits = limits;
  }

  /** How many there are. */
  get size(): number {
    return this.#all.size;
  }

  /** The connection for the next call. */
  next(): Connection {
    for (const connection of this.#all) {
      if (connection.hasRoom()) return connection;
    }
    const options = { ...this.#options, limits: this.#limits, keepalive: () => this.#keepalive() };
    const connection = new Connection(this.#address, options, this);
    this.#all.add(connection);
    return connection;
  }

  /** Ends all connections and the streams on them. */
  close(): void {
    for (const connection of this.#all) connection.close();
    this.#all.clear();
  }

  idle(connection: Connection): void {
    if (this.#all.size === 1) return;
    this.#all.delete(connection);
    connection.close();
  }

  tooManyPings(): void {
    this.#patience *= 2;
  }

  #keepalive(): KeepaliveTimes {
    const { intervalMs, unknownIntervalMs, timeoutMs } = this.#options.keepalive;
    return {
      intervalMs: intervalMs * this.#patience,
      unknownIntervalMs: unknownIntervalMs * this.#patience,
      timeoutMs,
    };
  }
}
