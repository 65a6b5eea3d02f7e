import type { Clock, Timer } from '@cosi-ts/state';
import type { Database } from './database.js';
import { decodeEvent } from './event-record.js';
import type { GroupCommit, UpkeepStep } from './group-commit.js';
import { eventRange, keyNumber, openingKey } from './keys.js';
import type { Entry, Ledger } from './ledger.js';
import type { Logger } from './logger.js';
import { outdatedOpenings } from './openings.js';
import type { LogBounds } from './options.js';
import type { StoreLog } from './store-log.js';

export interface LogCompactionInit {
  readonly bounds: LogBounds;
  readonly commit: GroupCommit;
  readonly ledger: Ledger;
  readonly log: StoreLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps the event log within its bounds: from time to time, and when it is too far over. */
export class LogCompaction {
  readonly #init: LogCompactionInit;
  #timer: Timer | undefined;
  #aside: Promise<void> | undefined;
  #closed = false;

  constructor(init: LogCompactionInit) {
    this.#init = init;
    this.#schedule();
  }

  /** To be called when the log has grown. */
  grown(): void {
    const { bounds, ledger } = this.#init;
    const { position, floor } = ledger.extent;
    if (position - floor >= bounds.maxEvents * (1 + bounds.slack)) void this.#runAside();
  }

  /** Forgets what is beyond the bounds. Gives how many events that were. */
  async run(signal?: AbortSignal): Promise<number> {
    let forgotten = 0;
    for (;;) {
      signal?.throwIfAborted();
      const before = this.#init.ledger.extent.floor;
      const more = await this.#init.commit.maintain((database) => this.#step(database));
      if (!more) return forgotten;
      forgotten += this.#init.ledger.extent.floor - before;
    }
  }

  /** Ends after the step that is in progress. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#aside;
  }

  #schedule(): void {
    const { clock, bounds } = this.#init;
    this.#timer = clock.schedule(bounds.compactionIntervalMs, () => {
      void this.#runAside().then(() => {
        if (!this.#closed) this.#schedule();
      });
    });
  }

  #runAside(): Promise<void> {
    this.#aside ??= this.run()
      .then(
        (events) => {
          const { eventBytes } = this.#init.ledger.extent;
          if (events > 0) this.#init.logger.info({ events, eventBytes }, 'the event log has been compacted');
        },
        (err: unknown) => {
          if (!this.#closed) this.#init.logger.error({ err }, 'the event log could not be compacted');
        },
      )
      .finally(() => {
        this.#aside = undefined;
      });
    return this.#aside;
  }

  async #step(database: Database): Promise<UpkeepStep | undefined> {
    const { bounds, ledger, log } = this.#init;
    if (this.#closed) return undefined;
    const { position, floor, eventBytes } = ledger.extent;
    const entries = await database.read(eventRange(floor, position), { limit: bounds.stepEvents });
    const outdated = this.#outdated(entries, position - bounds.maxEvents);
    const last = outdated.at(-1);
    if (last === undefined) return undefined;
    const newFloor = keyNumber(last[0]) as number;
    const openings = outdatedOpenings(log.openings, newFloor);
    const bytes = outdated.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
    return {
      fill: (batch) => {
        for (const [key] of outdated) batch.del(key);
        for (const { ordinal } of openings) batch.del(openingKey(ordinal));
      },
      extent: { position, floor: newFloor, eventBytes: Math.max(0, eventBytes - bytes) },
      // Should it be lost with the power, it is done again.
      sync: false,
      onDone: () => log.forget(openings),
    };
  }

  /** The events at the beginning that are beyond a bound. */
  #outdated(entries: readonly Entry[], floor: number): readonly Entry[] {
    const { bounds, clock } = this.#init;
    const oldest = clock.now().toDate().getTime() - bounds.maxAgeMs;
    const firstKept = entries.findIndex(([key, value]) => {
      if ((keyNumber(key) as number) <= floor) return false;
      // Of a damaged event nobody knows the time: it goes when those before it go.
      return (decodeEvent(key, value)?.timeMs ?? Number.NEGATIVE_INFINITY) >= oldest;
    });
    return firstKept === -1 ? entries : entries.slice(0, firstKept);
  }
}
