import { isInUse } from '@cosi-ts/resource';
import { ClassicLevel } from 'classic-level';
import type { KeyRange } from './keys.js';
import type { Entry } from './ledger.js';
import { translateError } from './level-errors.js';

/** Collects what is to be written in one go. Later operations on a key replace earlier ones. */
export interface Batch {
  put(key: Uint8Array, value: Uint8Array): unknown;
  del(key: Uint8Array): unknown;
}

export interface ReadOptions {
  /** At most so many entries. */
  readonly limit: number;
  /** Less than `limit` entries when they have more bytes than this. At least one is given. Default: 4 MiB. */
  readonly maxBytes?: number;
  /** From the end of the range. */
  readonly reverse?: boolean;
  /** As the database was when the snapshot was taken. Default: as it is at the call. */
  readonly snapshot?: Snapshot | undefined;
}

/** The database at one moment. To be closed. */
export type Snapshot = ReturnType<Level['snapshot']>;

type Level = ClassicLevel<Uint8Array, Uint8Array>;

const maxReadBytes = 4 * 1024 * 1024;

const settings = {
  keyEncoding: 'buffer',
  valueEncoding: 'buffer',
  // A flipped bit in a compressed block can change all of it; in one that is not compressed it stays where it is.
  compression: false,
  // Larger than LevelDB's own, which are made for phones: fewer and longer steps of its background work.
  writeBufferSize: 16 * 1024 * 1024,
  maxFileSize: 8 * 1024 * 1024,
  // What is read is mostly read as a whole.
  blockSize: 16 * 1024,
} as const;

/** One opened LevelDB database. Its errors are those of this system. */
export class Database {
  readonly folder: string;
  readonly #level: Level;

  private constructor(folder: string, level: Level) {
    this.folder = folder;
    this.#level = level;
  }

  /**
   * Opens a database that exists.
   *
   * @param create makes a new one when there is none
   * @throws `in-use`, when it is open already, here or in another process; `corrupt`; `resource-exhausted`, when the disk
   *   is full; `unavailable` for anything else
   */
  static async open(folder: string, create = false): Promise<Database> {
    const level: Level = new ClassicLevel(folder, { ...settings, createIfMissing: create });
    try {
      await level.open();
    } catch (error) {
      throw translateError(error, 'open', folder);
    }
    return new Database(folder, level);
  }

  /** Finds out whether a database that exists is in use. It is not opened. */
  static async isInUse(folder: string): Promise<boolean> {
    // Asked to open only what does not exist, LevelDB takes the lock, sees that there is something, and gives up.
    const level: Level = new ClassicLevel(folder, { ...settings, createIfMissing: false, errorIfExists: true });
    try {
      await level.open();
    } catch (error) {
      return isInUse(translateError(error, 'open', folder));
    }
    await level.close();
    return false;
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    try {
      return await this.#level.get(key);
    } catch (error) {
      throw translateError(error, 'read', this.folder);
    }
  }

  /** Entries of a range in the order of their keys. None: the range has no more. */
  async read(range: KeyRange, options: ReadOptions): Promise<Entry[]> {
    const { limit, maxBytes = maxReadBytes, reverse = false, snapshot } = options;
    try {
      const iterator = this.#level.iterator({
        gte: range.start,
        lt: range.end,
        reverse,
        limit,
        highWaterMarkBytes: maxBytes,
        ...(snapshot === undefined ? {} : { snapshot }),
      });
      try {
        return await iterator.nextv(limit);
      } finally {
        await iterator.close();
      }
    } catch (error) {
      throw translateError(error, 'read', this.folder);
    }
  }

  /** All of a range, read in bounded steps. */
  async *entries(range: KeyRange, snapshot?: Snapshot): AsyncGenerator<readonly Entry[]> {
    let rest: KeyRange | undefined = range;
    while (rest !== undefined) {
      const entries: readonly Entry[] = await this.read(rest, { limit: 1000, snapshot });
      const last = entries.at(-1);
      if (last === undefined) return;
      yield entries;
      rest = { start: after(last[0]), end: range.end };
    }
  }

  /** Writes all or nothing. When it fails, the database can hold all of it nevertheless, and is not to be used further. */
  async write(fill: (batch: Batch) => void, sync: boolean): Promise<void> {
    try {
      const batch = this.#level.batch();
      fill(batch);
      await batch.write({ sync });
    } catch (error) {
      throw translateError(error, 'write to', this.folder);
    }
  }

  /** Moves what is in the write-ahead log to a table now, so that the next opening need not. */
  async flush(): Promise<void> {
    try {
      // Compacting whatever range begins with that, and there is nothing in this one.
      await this.#level.compactRange(Buffer.of(0), Buffer.of(0));
    } catch (error) {
      throw translateError(error, 'write to', this.folder);
    }
  }

  snapshot(): Snapshot {
    return this.#level.snapshot();
  }

  async close(): Promise<void> {
    try {
      await this.#level.close();
    } catch (error) {
      throw translateError(error, 'close', this.folder);
    }
  }
}

/** The smallest key that is greater. */
export function after(key: Uint8Array): Uint8Array {
  return Buffer.concat([key, Buffer.of(0)]);
}
