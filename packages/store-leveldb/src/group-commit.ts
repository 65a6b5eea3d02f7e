import { ClosedError, CorruptError, type Resource } from '@cosi-ts/resource';
import { type Clock, nextTurn } from '@cosi-ts/state';
import type { Commit, Marshaler, StoreChange } from '@cosi-ts/state-inmem';
import { framed } from './checksum.js';
import type { Connection } from './connection.js';
import type { Batch, Database } from './database.js';
import { type EventRecord, encodeEvent } from './event-record.js';
import { eventKey, resourceKey } from './keys.js';
import { headKey, type Ledger, type LedgerChange, type LogExtent, readExtent } from './ledger.js';
import type { Logger } from './logger.js';
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

/** A change that waits for its batch. */
interface PendingWrite {
  readonly change: StoreChange;
  readonly commit: Commit;
  readonly key: Buffer;
  /** What will be stored under the key; undefined when it will be removed. */
  readonly record: Uint8Array | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A change with its place in the log. */
interface PlacedWrite extends PendingWrite {
  readonly position: number;
  readonly event: Buffer;
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
  readonly #clock: Clock;
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
    this.#clock = init.clock;
    this.#logger = init.logger;
    this.#sync = init.sync;
    this.#onBatch = init.onBatch;
  }

  /** Makes a change durable, and commits it in the order of positions. */
  async write(change: StoreChange, commit: Commit): Promise<void> {
    this.#checkOpen();
    const { metadata } = change.resource;
    const key = resourceKey(metadata);
    const marshaled = change.type === 'destroyed' ? undefined : this.#marshaler.marshal(change.resource, metadata);
    const record = marshaled instanceof Promise ? await marshaled : marshaled;
    this.#checkOpen();
    return new Promise((resolve, reject) => {
      this.#writes.push({ change, commit, key, record, resolve, reject });
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
   * Waits for what was asked for; later writes reject with `closed`. Rejects when a batch failed and could not be taken
   * back since: then it may be there when the store is opened the next time.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#settleDoubt();
    if (!this.#sync) await this.#connection.use((database) => database.write((batch) => this.#putHead(batch), true));
  }

  /** Writing it once more makes all that was written before durable. */
  #putHead(batch: Batch): void {
    for (const [key, value] of this.#ledger.entries({ extent: this.#ledger.extent, tallies: new Map() })) {
      batch.put(key, value);
    }
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
      writes = await this.#placed(pending);
      if (writes.length === 0) return;
      const change = this.#changeBy(writes);
      await this.#commitBatch({ change, writes }, this.#sync, (batch) => {
        for (const { key, record, event, position } of writes) {
          if (record === undefined) batch.del(key);
          else batch.put(key, framed(key, record));
          batch.put(eventKey(position), event);
        }
        for (const [key, value] of this.#ledger.entries(change)) batch.put(key, value);
      });
    } catch (error) {
      for (const { reject } of pending) reject(error);
      return;
    }
    for (const write of writes) this.#publish(write);
    this.#onBatch();
  }

  #publish({ commit, position, record, resolve, reject }: PlacedWrite): void {
    this.#log.advance(position);
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
          for (const [key, value] of this.#ledger.entries(change)) batch.put(key, value);
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
      writes.map(({ change }) => {
        const before = replacedBy(change);
        return before === undefined ? undefined : this.#marshaler.marshal(before, before.metadata);
      }),
    );
    const ledger = this.#ledger.undo(change);
    await this.#connection.use((database) =>
      database.write((batch) => {
        for (const [i, { key, position }] of writes.entries()) {
          const record = records[i];
          if (record === undefined) batch.del(key);
          else batch.put(key, framed(key, record));
          batch.del(eventKey(position));
        }
        for (const key of ledger.keys) batch.del(key);
        for (const [key, value] of ledger.entries) batch.put(key, value);
      }, true),
    );
  }

  /** Gives writes their positions. Those whose event cannot be marshaled are rejected, and take none. */
  async #placed(pending: readonly PendingWrite[]): Promise<readonly PlacedWrite[]> {
    const start = this.#ledger.extent.position + 1;
    const timeMs = this.#clock.now().toDate().getTime();
    const failed = new Set<PendingWrite>();
    for (;;) {
      const writes = pending.filter((write) => !failed.has(write));
      const count = failed.size;
      const events = writes.map((write, i) => {
        try {
          const event = this.#event(write.change, write.key, start + i, timeMs);
          return event instanceof Promise ? event.catch((error: unknown) => drop(write, error)) : event;
        } catch (error) {
          return drop(write, error);
        }
      });
      const ready = events.some((event) => event instanceof Promise) ? await Promise.all(events) : events;
      // One that failed shifts those after it, whose events name their positions.
      if (failed.size === count) {
        return writes.map((write, i) => ({ ...write, position: start + i, event: ready[i] as Buffer }));
      }
    }

    function drop(write: PendingWrite, error: unknown): undefined {
      failed.add(write);
      write.reject(error);
    }
  }

  #event(change: StoreChange, resourceKey: Buffer, position: number, timeMs: number): Buffer | Promise<Buffer> {
    const { namespace, type, id } = change.resource.metadata;
    const place = { namespace, type, id, position };
    const key = eventKey(position);
    const subject = resourceKey.subarray(1);
    const encode = (resource: Uint8Array, old: Uint8Array | undefined): Buffer => {
      const event: EventRecord = { type: change.type, timeMs, subject, resource, old };
      return encodeEvent(key, event);
    };
    const resource = this.#marshaler.marshal(change.resource, place);
    const old = change.type === 'updated' ? this.#marshaler.marshal(change.old, place) : undefined;
    if (resource instanceof Promise || old instanceof Promise) {
      return Promise.all([resource, old]).then(([resource, old]) => encode(resource, old));
    }
    return encode(resource, old);
  }

  #changeBy(writes: readonly PlacedWrite[]): LedgerChange {
    const { floor, position, eventBytes } = this.#ledger.extent;
    const tallies = new Map<string, Tally>();
    let addedBytes = 0;
    for (const { change, key, event } of writes) {
      const { metadata } = change.resource;
      let tally = tallies.get(metadata.namespace) ?? this.#ledger.tally(metadata.namespace);
      const before = replacedBy(change);
      if (before !== undefined) tally = untallied(tally, recordDigest(key, before.metadata.version));
      if (change.type !== 'destroyed') tally = tallied(tally, recordDigest(key, metadata.version));
      tallies.set(metadata.namespace, tally);
      addedBytes += eventKeyBytes + event.length;
    }
    return { extent: { floor, position: position + writes.length, eventBytes: eventBytes + addedBytes }, tallies };
  }
}

const eventKeyBytes = eventKey(0).length;

/** What is stored as long as the change is not. */
function replacedBy(change: StoreChange): Resource | undefined {
  if (change.type === 'created') return undefined;
  return change.type === 'updated' ? change.old : change.resource;
}
