import type { Clock, Timer } from '@cosi-ts/state';

export interface KeepaliveTimes {
  /** How long after a ping a server of ours is sent the next one. */
  readonly intervalMs: number;
  /** How long a ping may be followed by nothing at all. */
  readonly timeoutMs: number;
  /** How long after a ping other servers are sent the next one. */
  readonly unknownIntervalMs: number;
}

/** What keepalive does to a connection. */
export interface Pinged {
  /** How many bytes have come. Each is a sign of life: the answer to a ping may be behind much else. */
  readonly bytesRead: number;
  ping(): void;
  /** Ends the connection, whose peer has fallen silent. */
  end(): void;
}

/**
 * Notices that the peer of a connection has fallen silent. It does so only while streams are open: nothing is sent
 * otherwise, and no timer runs. A peer is unknown, and left in peace for longer, until it was recognised; as long as it
 * has not answered anything it is sent one ping as early as if it were known.
 */
export class Keepalive {
  readonly #times: KeepaliveTimes;
  readonly #clock: Clock;
  readonly #pinged: Pinged;
  #streams = 0;
  #peer: 'silent' | 'unknown' | 'known' = 'silent';
  #lastPingMs: number;
  #timer: Timer | undefined;

  constructor(times: KeepaliveTimes, clock: Clock, pinged: Pinged) {
    this.#times = times;
    this.#clock = clock;
    this.#pinged = pinged;
    this.#lastPingMs = clock.monotonicMs();
  }

  /** A stream was opened. */
  opened(): void {
    if (this.#streams++ === 0) this.#wait();
  }

  /** A stream was closed. */
  closed(): void {
    if (--this.#streams === 0) this.stop();
  }

  /** A stream was answered, by a server of ours or by another one. */
  answered(isOurs: boolean): void {
    const peer = isOurs ? 'known' : 'unknown';
    if (peer === this.#peer) return;
    this.#peer = peer;
    if (this.#streams > 0) this.#wait();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #after(delayMs: number, next: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.schedule(delayMs, next);
  }

  #wait(): void {
    const { intervalMs, unknownIntervalMs } = this.#times;
    const dueMs = this.#lastPingMs + (this.#peer === 'unknown' ? unknownIntervalMs : intervalMs);
    this.#after(dueMs - this.#clock.monotonicMs(), () => this.#ping());
  }

  #ping(): void {
    const before = this.#pinged.bytesRead;
    this.#lastPingMs = this.#clock.monotonicMs();
    if (this.#peer === 'silent') this.#peer = 'unknown';
    this.#pinged.ping();
    // What came while the process was busy is read in the turn after the time is up.
    this.#after(this.#times.timeoutMs, () =>
      this.#after(0, () => {
        if (this.#pinged.bytesRead === before) this.#pinged.end();
        else this.#wait();
      }),
    );
  }
}
