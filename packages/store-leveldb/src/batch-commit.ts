import { CorruptError, type Resource } from '@cosi-ts/resource';
import type { Marshaler, StoreChange } from '@cosi-ts/state-inmem';
import { framed } from './checksum.js';
import type { Connection } from './connection.js';
import type { Batch } from './database.js';
import { eventKey } from './keys.js';
import { headKey, type Ledger, type LedgerChange, putLedger, readExtent } from './ledger.js';
import type { Logger } from './logger.js';
import type { PlacedWrite } from './placement.js';

/** What a batch does: to the ledger, and to resources. */
export interface BatchEffect {
  readonly change: LedgerChange;
  readonly writes: readonly PlacedWrite[];
}

export interface BatchCommitInit {
  readonly connection: Connection;
  readonly marshaler: Marshaler;
  readonly ledger: Ledger;
  readonly logger: Logger;
}

/**
 * Writes batches to the database, one after the other. When one fails the database is closed, opened again, and rid of
 * that batch before the next one is written: LevelDB does not know whether it is there, goes on after a failed write, and
 * can lose what it acknowledges then.
 */
export class BatchCommit {
  readonly #connection: Connection;
  readonly #marshaler: Marshaler;
  readonly #ledger: Ledger;
  readonly #logger: Logger;
  /** The batch that failed last, and may be in the database. */
  #doubt: BatchEffect | undefined;

  constructor({ connection, marshaler, ledger, logger }: BatchCommitInit) {
    this.#connection = connection;
    this.#marshaler = marshaler;
    this.#ledger = ledger;
    this.#logger = logger;
  }

  /**
   * Writes a batch and what it does to the ledger; it is on its way to the disk when this returns. To be called when
   * {@link settle} has resolved, and the batch before has been written. When it fails, it tries at once to make sure that
   * the batch is not there.
   */
  async commit(effect: BatchEffect, sync: boolean, fill: (batch: Batch) => void): Promise<void> {
    try {
      await this.#connection.use((database) =>
        database.write((batch) => {
          fill(batch);
          putLedger(batch, this.#ledger.writes(effect.change));
        }, sync),
      );
    } catch (error) {
      this.#doubt = effect;
      this.#logger.error({ err: error }, 'a write failed; the store is closed and opened again before the next one');
      await this.settle().catch((err: unknown) => {
        this.#logger.error({ err }, 'the store cannot be opened again; the next write tries again');
      });
      throw error;
    }
    this.#ledger.apply(effect.change);
  }

  /** Makes sure that a batch that failed is not there. Throws when that cannot be done now. */
  async settle(): Promise<void> {
    const doubt = this.#doubt;
    if (doubt === undefined) return;
    await this.#connection.reopen();
    const found = await this.#connection.use(async (database) => readExtent(await database.get(headKey)));
    const { extent } = this.#ledger;
    if (found.position === extent.position) {
      // No event is there that should not be. A step of upkeep that has been done after all has done no harm.
      this.#ledger.apply({ extent: found, tallies: new Map() });
    } else if (found.position === doubt.change.extent.position) {
      await this.#takeBack(doubt);
    } else {
      const error = new CorruptError(
        `after a failed write the store is at position ${found.position}, and was at ${extent.position} before`,
      );
      this.#connection.fail(error);
      throw error;
    }
    this.#doubt = undefined;
    this.#logger.info({ position: extent.position }, 'the store has been opened again after a failed write');
  }

  async #takeBack({ writes, change }: BatchEffect): Promise<void> {
    const records = await Promise.all(
      writes.map(({ pending }) => {
        const before = replacedBy(pending.change);
        return before === undefined ? undefined : this.#marshaler.marshal(before, before.metadata);
      }),
    );
    const ledger = this.#ledger.undo(change);
    await this.#connection.use((database) =>
      database.write((batch) => {
        for (const [i, { pending, position }] of writes.entries()) {
          const record = records[i];
          if (record === undefined) batch.del(pending.key);
          else batch.put(pending.key, framed(pending.key, record));
          batch.del(eventKey(position));
        }
        putLedger(batch, ledger);
      }, true),
    );
  }
}

/** What is stored as long as the change is not. */
export function replacedBy(change: StoreChange): Resource | undefined {
  if (change.type === 'created') return undefined;
  return change.type === 'updated' ? change.old : change.resource;
}
