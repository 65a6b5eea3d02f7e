import type { Clock } from '@cosi-ts/state';
import { type CancellationLimits, Connection } from './connection.js';

/**
 * Node's servers end a whole connection, and every call on it with it, that cancels some 1000 streams at once or more
 * than 33 a second for long.
 */
const nodeLimits: CancellationLimits = Object.freeze({ burst: 900, perSecond: 30 });

/**
 * The connections to one server: one, as long as it can cancel all the streams that it has open. A call that it has no
 * room for opens another connection rather than wait; that one is closed when it is no longer used.
 */
export class Connections {
  readonly #authority: string;
  readonly #clock: Clock;
  readonly #limits: CancellationLimits;
  readonly #all = new Set<Connection>();

  constructor(authority: string, clock: Clock, limits: CancellationLimits = nodeLimits) {
    this.#limits = limits;
    this.#authority = authority;
    this.#clock = clock;
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
    const connection = new Connection(this.#authority, this.#limits, this.#clock, (idle) => this.#onIdle(idle));
    this.#all.add(connection);
    return connection;
  }

  /** Ends all connections and the streams on them. */
  close(): void {
    for (const connection of this.#all) connection.close();
    this.#all.clear();
  }

  #onIdle(connection: Connection): void {
    if (this.#all.size === 1) return;
    this.#all.delete(connection);
    connection.close();
  }
}
