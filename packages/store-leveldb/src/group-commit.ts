import { ClosedError } from '@cosi-ts/resource';
import { type Clock, nextTurn } from '@cosi-ts/state';
import type { Commit, Marshaler, StoreChange } from '@cosi-ts/state-inmem';
import { BatchCommit, replacedBy } from './batch-commit.js';
import { bytesChecksum, framedBy } from './checksum.js';
import type { Connection } from './connection.js';
import type { Batch, Database } from './database.js';
import { encodeEvent, eventLength } from './event-record.js';
import { eventKey, resourceKey } from './keys.js';
import type { Ledger, LedgerChange, LogExtent } from './ledger.js';
import type { Logger } from './logger.js';
import { type PendingWrite, type PlacedWrite, Placement } from './placement.js';
import type { StoreLog } from './store-log.js';
import { emptyTally, recordDigest, type Tally, tallied, untallied } from './tally.js';

/** Batches are closed when they have so many writes, or records and what they replace have about so many bytes. */
const maxBatchWrites = 4096;
const maxBatchBytes = 8 * 1024 * 1024;

/** To deal with the callers of so many writes takes about as long as to bring as many to the disk. */
const overlapWrites = 32;

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

/**
 * The one line of writes to the database. One batch is in flight; what comes meanwhile makes the next one, so that many
 * writers share one sync of the disk. Steps of upkeep take their turn between batches.
 *
 * Of many writers half are in flight at a time: the others are told that their writes are durable meanwhile, and give the
 * next ones, so that neither the disk nor the processor waits for the other.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #commit: BatchCommit;
  readonly #marshaler: Marshaler;
  readonly #ledger: Ledger;
  readonly #log: StoreLog;
  readonly #placement: Placement;
  readonly #sync: boolean;
  readonly #onBatch: () => void;
  readonly #writes: PendingWrite[] = [];
  readonly #upkeep: Upkeep[] = [];
  /** What is durable, and nobody has been told of yet. */
  #landed: readonly PlacedWrite[] = [];
  #running = false;
  /** How many writes are on their way into the line. */
  #marshaling = 0;
  #idle: (() => void)[] = [];
  #closed = false;

  constructor(init: GroupCommitInit) {
    this.#connection = init.connection;
    this.#commit = new BatchCommit(init);
    this.#marshaler = init.marshaler;
    this.#ledger = init.ledger;
    this.#log = init.log;
    this.#placement = new Placement(init.marshaler, init.clock);
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
      this.#marshaling++;
      return record.then(
        (bytes) => {
          this.#marshaling--;
          return this.#enqueue(change, commit, key, bytes);
        },
        (error: unknown) => {
          this.#marshaling--;
          this.#rest();
          throw error;
        },
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #enqueue(change: StoreChange, commit: Commit, key: Buffer, record: Uint8Array | undefined): Promise<void> {
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
   * Waits for what was asked for, and makes the next opening fast; later writes reject with `closed`. Rejects when a batch
   * failed and could not be taken back since: then it may be there when the store is opened the next time.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running || this.#marshaling > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#commit.settle();
    if (!this.#sync) {
      // Writing the head once more makes all that was written before durable.
      const change = { extent: this.#ledger.extent, tallies: new Map() };
      await this.#commit.commit({ change, writes: [] }, true, () => undefined);
    }
    await this.#connection.use((database) => database.flush());
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
    while (this.#landed.length + this.#writes.length + this.#upkeep.length > 0) {
      if (this.#writes.length < overlapWrites || this.#upkeep.length > 0) {
        this.#tell();
        // Who was just told of the last batch gets to write into this one.
        await nextTurn();
      }
      await this.#writeBatch(this.#takeBatch());
      const upkeep = this.#upkeep.shift();
      if (upkeep === undefined) continue;
      this.#tell();
      await this.#keepUp(upkeep);
    }
    this.#running = false;
    this.#rest();
  }

  /** To be called when there may be nothing to do any more. */
  #rest(): void {
    if (this.#running || this.#marshaling > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #takeBatch(): PendingWrite[] {
    const all = this.#writes.length + this.#landed.length;
    const limit = Math.min(maxBatchWrites, all < 2 * overlapWrites ? all : Math.ceil(all / 2));
    let count = 0;
    for (let bytes = 0; count < Math.min(this.#writes.length, limit) && bytes < maxBatchBytes; count++) {
      bytes += weightOf(this.#writes[count] as PendingWrite);
    }
    return this.#writes.splice(0, count);
  }

  /** Brings a batch to the disk, and tells of the writes that landed before while it is on its way. */
  async #writeBatch(pending: readonly PendingWrite[]): Promise<void> {
    let writes: readonly PlacedWrite[] = [];
    try {
      await this.#commit.settle();
      const placing = this.#placement.place(pending, this.#ledger.extent.position + 1);
      // What is durable is not to wait for a marshaler that takes its time.
      if (placing instanceof Promise) this.#tell();
      writes = await placing;
      if (writes.length === 0) return;
      const durable = this.#commit.commit({ change: this.#changeBy(writes), writes }, this.#sync, (batch) => {
        for (const write of writes) putWrite(batch, write);
      });
      this.#tell();
      await durable;
    } catch (error) {
      for (const { reject } of pending) reject(error);
      return;
    }
    this.#landed = writes;
  }

  /** Tells of the writes that have landed. */
  #tell(): void {
    const landed = this.#landed;
    if (landed.length === 0) return;
    this.#landed = [];
    for (const write of landed) this.#publish(write);
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
      await this.#commit.settle();
      const step = await this.#connection.use(plan);
      if (step !== undefined) {
        const change: LedgerChange = { extent: step.extent, tallies: new Map() };
        await this.#commit.commit({ change, writes: [] }, step.sync, step.fill);
        step.onDone?.();
      }
      resolve(step !== undefined);
    } catch (error) {
      reject(error);
    }
  }

  #changeBy(writes: readonly PlacedWrite[]): LedgerChange {
    const { floor, position, eventBytes } = this.#ledger.extent;
    const tallies = new Map<string, Tally>();
    let addedBytes = 0;
    // Writes come in runs of one namespace.
    let namespace: string | undefined;
    let tally = emptyTally;
    for (const { pending, event } of writes) {
      const { change, keyChecksum } = pending;
      const { metadata } = change.resource;
      if (metadata.namespace !== namespace) {
        if (namespace !== undefined) tallies.set(namespace, tally);
        namespace = metadata.namespace;
        tally = tallies.get(namespace) ?? this.#ledger.tally(namespace);
      }
      const before = replacedBy(change);
      if (before !== undefined) tally = untallied(tally, recordDigest(keyChecksum, before.metadata.version));
      if (change.type !== 'destroyed') tally = tallied(tally, recordDigest(keyChecksum, metadata.version));
      addedBytes += eventKeyBytes + eventLength(event);
    }
    if (namespace !== undefined) tallies.set(namespace, tally);
    return { extent: { floor, position: position + writes.length, eventBytes: eventBytes + addedBytes }, tallies };
  }
}

/** What a batch has of a write, without the record's copy in its event, and without the metadata of what is replaced. */
function weightOf({ change, record }: PendingWrite): number {
  return (record?.length ?? 0) + (replacedBy(change)?.content.encodedBytes ?? 0);
}

function putWrite(batch: Batch, { pending, position, event }: PlacedWrite): void {
  const { key, keyChecksum, record } = pending;
  if (record === undefined) batch.del(key);
  else batch.put(key, framedBy(keyChecksum, record, scratch));
  const at = eventKey(position);
  batch.put(at, encodeEvent(at, event, scratch));
}

const eventKeyBytes = eventKey(0).length;

const scratchBuffer = Buffer.allocUnsafe(64 * 1024);

/** Room for one value at a time: LevelDB takes it over before the next one is made. Large ones have a buffer of their own. */
function scratch(length: number): Buffer {
  return length <= scratchBuffer.length ? scratchBuffer.subarray(0, length) : Buffer.allocUnsafe(length);
}
