import { Http2SessionManager } from '@connectrpc/connect-node';
import type { Clock } from '@cosi-ts/state';
import { sessionMemoryMegabytes } from '../limits.js';

/**
 * How many streams a connection may have open and be asked to cancel. Node's servers end a whole connection, and every
 * call on it with it, that cancels some 1000 streams at once or more than 33 a second for long.
 */
const burst = 900;
const cancellationsPerSecond = 30;

/**
 * The connections to one server: one, as long as it may cancel all the streams that it has open. A call that it has no
 * room for opens another connection rather than wait.
 */
export class Connections {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #all: Connection[] = [];

  constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
  }

  /** How many there are. */
  get size(): number {
    return this.#all.length;
  }

  /** The connection for the next call. */
  next(): Http2SessionManager {
    let found = this.#all.find((connection) => connection.hasRoom());
    if (found === undefined) {
      found = new Connection(this.#url, this.#clock);
      this.#all.push(found);
    }
    return found;
  }

  /** Ends all connections and the streams on them. */
  close(): void {
    for (const connection of this.#all) connection.abort();
  }
}

class Connection extends Http2SessionManager {
  readonly #clock: Clock;
  #open = 0;
  #tokens = burst;
  #countedMs: number;

  constructor(url: string, clock: Clock) {
    super(url, {}, { maxSessionMemory: sessionMemoryMegabytes });
    this.#clock = clock;
    this.#countedMs = clock.monotonicMs();
  }

  /** Whether one more stream could be cancelled together with all that are open. */
  hasRoom(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const earned = ((nowMs - this.#countedMs) / 1000) * cancellationsPerSecond;
    this.#countedMs = nowMs;
    this.#tokens = Math.min(burst, this.#tokens + earned);
    return this.#tokens - this.#open >= 1;
  }

  override async request(
    ...request: Parameters<Http2SessionManager['request']>
  ): ReturnType<Http2SessionManager['request']> {
    this.#open++;
    try {
      const stream = await super.request(...request);
      stream.once('close', () => {
        this.#open--;
        if (stream.rstCode !== 0) this.#tokens--;
      });
      return stream;
    } catch (error) {
      this.#open--;
      throw error;
    }
  }
}
