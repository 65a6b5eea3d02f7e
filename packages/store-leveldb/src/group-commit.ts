import { ClosedError, CorruptError, type Resource } from '@cosi-ts/resource';
import { type Clock, nextTurn } from '@cosi-ts/state';
import type { Commit, Marshaler, StoreChange } from '@cosi-ts/state-inmem';
import { bytesChecksum, framed, framedBy } from './checksum.js';
import type { Connection } from './connection.js';
import type { Batch, Database } from './database.js';
import { encodeEvent, eventLength } from './event-record.js';
import { eventKey, resourceKey } from './keys.js';
import { headKey, type Ledger, type LedgerChange, type LogExtent, putLedger, readExtent } from './ledger.js';
import type { Logger } from './logger.js';
import { type PendingWrite, type PlacedWrite, Placement } from './placement.js';
import type { StoreLog } from './store-log.js';
import { recordDigest, type Tally, tallied, untallied } from './tally.js';

/** Batches are closed when they have so many writes, or records of so many bytes. */
const maxBatchWrites = 4096;
const maxBatchBytes = 8 * 1024 * 1024;

export interface GroupCommitInit {
  readonly connection: Connection;
  readonly marshaler: Marshaler;
  readonly ledger: Ledger;
  readonly log: StoreLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether a batch is on the disk, and not only with the operating system, when it is acknowledged. */
  readonly sync: boolean;
  /** Called after each batch of changes. */
  readonly onBatch: () => void;
}

/** What a step of upkeep writes. It changes no resource and makes no event. */
export interface UpkeepStep {
  readonly fill: (batch: Batch) => void;
  /** How far the log reaches afterwards. */
  readonly extent: LogExtent;
  readonly sync: boolean;
  /** Called when it is done. */
  readonly onDone?: () => void;
}

interface Upkeep {
  readonly plan: (database: Database) => Promise<UpkeepStep | undefined>;
  readonly resolve: (more: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A batch of which LevelDB does not know whether it is in the database. */
interface Doubt {
  readonly change: LedgerChange;
  readonly writes: readonly PlacedWrite[];
}

/**
 * The one line of writes to the database. One batch is in flight; what comes meanwhile makes the next one, so that many
 * writers share one sync of the disk. Steps of upkeep take their turn between batches.
 *
 * When a batch fails nothing is acknowledged until the database was closed, opened again, and rid of that batch: LevelDB
 * goes on after a failed write, and can lose what it acknowledges then.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #marshaler: Marshaler;
  readonly #ledger: Ledger;
  readonly #log: StoreLog;
  readonly #placement: Placement;
  readonly #logger: Logger;
  readonly #sync: boolean;
  readonly #onBatch: () => void;
  readonly #writes: PendingWrite[] = [];
  readonly #upkeep: Upkeep[] = [];
  #running = false;
  #idle: (() => void)[] = [];
  #closed = false;
  #doubt: Doubt | undefined;

  constructor(init: GroupCommitInit) {
    this.#connection = init.connection;
    this.#marshaler = init.marshaler;
    this.#ledger = init.ledger;
    this.#log = init.log;
    this.#placement = new Placement(init.marshaler, init.clock);
    this.#logger = init.logger;
    this.#sync = init.sync;
    this.#onBatch = init.onBatch;
  }

  /** Makes a change durable, and commits it in the order of positions. */
  write(change: StoreChange, commit: Commit): Promise<void> {
    try {
      this.#checkOpen();
      const { metadata } = change.resource;
      const key = resourceKey(metadata);
      const record = change.type === 'destroyed' ? undefined : this.#marshaler.marshal(change.resource, metadata);
      if (!(record instanceof Promise)) return this.#enqueue(change, commit, key, record);
      return record.then((bytes) => this.#enqueue(change, commit, key, bytes));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #enqueue(change: StoreChange, commit: Commit, key: Buffer, record: Uint8Array | undefined): Promise<void> {
    this.#checkOpen();
    const keyChecksum = bytesChecksum(key);
    return new Promise((resolve, reject) => {
      this.#writes.push({ change, commit, key, keyChecksum, record, resolve, reject });
      this.#run();
    });
  }

  /**
   * Does one step of upkeep when no batch is in flight.
   *
   * @param plan reads what it needs to know and says what to write; undefined when there is nothing to do
   * @returns whether there was something to do
   */
  maintain(plan: Upkeep['plan']): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      this.#upkeep.push({ plan, resolve, reject });
      this.#run();
    });
  }

  /**
   * Waits for what was asked for, and makes the next opening fast; later writes reject with `closed`. Rejects when a batch failed and could not be taken
   * back since: then it may be there when the store is opened the next time.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#settleDoubt();
    await this.#connection.use(async (database) => {
      if (!this.#sync) {
        // Writing the head once more makes all that was written before durable.
        const head = this.#ledger.writes({ extent: this.#ledger.extent, tallies: new Map() });
        await database.write((batch) => putLedger(batch, head), true);
      }
      await database.flush();
    });
  }

  #checkOpen(): void {
    if (this.#closed) throw new ClosedError('the store is closed');
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#work();
  }

  async #work(): Promise<void> {
    while (this.#writes.length > 0 || this.#upkeep.length > 0) {
      // Who was just told of the last batch gets to write into this one.
      await nextTurn();
      const writes = this.#takeBatch();
      if (writes.length > 0) await this.#writeBatch(writes);
      const upkeep = this.#upkeep.shift();
      if (upkeep !== undefined) await this.#keepUp(upkeep);
    }
    this.#running = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #takeBatch(): PendingWrite[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(this.#writes.length, maxBatchWrites) && bytes < maxBatchBytes; count++) {
      bytes += this.#writes[count]?.record?.length ?? 0;
    }
    return this.#writes.splice(0, count);
  }

  async #writeBatch(pending: readonly PendingWrite[]): Promise<void> {
    let writes: readonly PlacedWrite[] = [];
    try {
      await this.#settleDoubt();
      writes = await this.#placement.place(pending, this.#ledger.extent.position + 1);
      if (writes.length === 0) return;
      const change = this.#changeBy(writes);
      await this.#commitBatch({ change, writes }, this.#sync, (batch) => {
        for (const { pending, eventKey, event } of writes) {
          const { key, keyChecksum, record } = pending;
          if (record === undefined) batch.del(key);
          else batch.put(key, framedBy(keyChecksum, record, scratch));
          batch.put(eventKey, encodeEvent(eventKey, event, scratch));
        }
        putLedger(batch, this.#ledger.writes(change));
      });
    } catch (error) {
      for (const { reject } of pending) reject(error);
      return;
    }
    for (const write of writes) this.#publish(write);
    this.#onBatch();
  }

  #publish({ pending, position }: PlacedWrite): void {
    const { commit, record, resolve, reject } = pending;
    this.#log.advance(position);
    this.#placement.done(pending);
    try {
      commit(record === undefined ? { position } : { position, encodedBytes: record.length });
      resolve();
    } catch (error) {
      reject(error);
    }
  }

  async #keepUp({ plan, resolve, reject }: Upkeep): Promise<void> {
    try {
      await this.#settleDoubt();
      const step = await this.#connection.use(plan);
      if (step !== undefined) {
        const change: LedgerChange = { extent: step.extent, tallies: new Map() };
        await this.#commitBatch({ change, writes: [] }, step.sync, (batch) => {
          step.fill(batch);
          putLedger(batch, this.#ledger.writes(change));
        });
        step.onDone?.();
      }
      resolve(step !== undefined);
    } catch (error) {
      reject(error);
    }
  }

  /** Writes one batch. When that fails, it tries at once to make sure that the batch is not there. */
  async #commitBatch(doubt: Doubt, sync: boolean, fill: (batch: Batch) => void): Promise<void> {
    try {
      await this.#connection.use((database) => database.write(fill, sync));
    } catch (error) {
      this.#doubt = doubt;
      this.#logger.error({ err: error }, 'a write failed; the store is closed and opened again before the next one');
      await this.#settleDoubt().catch((err: unknown) => {
        this.#logger.error({ err }, 'the store cannot be opened again; the next write tries again');
      });
      throw error;
    }
    this.#ledger.apply(doubt.change);
  }

  /** Makes sure that a batch that failed is not there. Throws when that cannot be done now. */
  async #settleDoubt(): Promise<void> {
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

  async #takeBack({ writes, change }: Doubt): Promise<void> {
    const records = await Promise.all(
      writes.map(({ pending }) => {
        const before = replacedBy(pending.change);
        return before === undefined ? undefined : this.#marshaler.marshal(before, before.metadata);
      }),
    );
    const ledger = this.#ledger.undo(change);
    await this.#connection.use((database) =>
      database.write((batch) => {
        for (const [i, { pending, eventKey }] of writes.entries()) {
          const record = records[i];
          if (record === undefined) batch.del(pending.key);
          else batch.put(pending.key, framed(pending.key, record));
          batch.del(eventKey);
        }
        putLedger(batch, ledger);
      }, true),
    );
  }

  #changeBy(writes: readonly PlacedWrite[]): LedgerChange {
    const { floor, position, eventBytes } = this.#ledger.extent;
    const tallies = new Map<string, Tally>();
    let addedBytes = 0;
    for (const { pending, event } of writes) {
      const { change, keyChecksum } = pending;
      const { metadata } = change.resource;
      let tally = tallies.get(metadata.namespace) ?? this.#ledger.tally(metadata.namespace);
      const before = replacedBy(change);
      if (before !== undefined) tally = untallied(tally, recordDigest(keyChecksum, before.metadata.version));
      if (change.type !== 'destroyed') tally = tallied(tally, recordDigest(keyChecksum, metadata.version));
      tallies.set(metadata.namespace, tally);
      addedBytes += eventKeyBytes + eventLength(event);
    }
    return { extent: { floor, position: position + writes.length, eventBytes: eventBytes + addedBytes }, tallies };
  }
}

const eventKeyBytes = eventKey(0).length;

const scratchBuffer = Buffer.allocUnsafe(64 * 1024);

/** Room for one value at a time: LevelDB takes it over before the next one is made. Large ones have a buffer of their own. */
function scratch(length: number): Buffer {
  return length <= scratchBuffer.length ? scratchBuffer.subarray(0, length) : Buffer.allocUnsafe(length);
}

/** What is stored as long as the change is not. */
function replacedBy(change: StoreChange): Resource | undefined {
  if (change.type === 'created') return undefined;
  return change.type === 'updated' ? change.old : change.resource;
}
