import { mkdir, realpath } from 'node:fs/promises';
import { ClosedError, CorruptError } from '@cosi-ts/resource';
import type { CallOptions, Closable } from '@cosi-ts/state';
import type { BackingStore } from '@cosi-ts/state-inmem';
import { type BackupReport, writeBackup } from './backup.js';
import { writeClosingRecord } from './closing-record.js';
import { Connection } from './connection.js';
import type { Fingerprints } from './files/check-tables.js';
import { fileBytes, folderFiles } from './files/folder-files.js';
import { GroupCommit } from './group-commit.js';
import { writeKnownTables } from './known-tables.js';
import type { Ledger } from './ledger.js';
import { translateError } from './level-errors.js';
import { LogCompaction } from './log-compaction.js';
import { NamespaceStore } from './namespace-store.js';
import { newestOpening, type OpenedDatabase, openDatabase } from './open-database.js';
import { claimFolder } from './open-folders.js';
import { sameOpening } from './openings.js';
import { type LevelDBStoreOptions, type ResolvedStoreOptions, resolveStoreOptions } from './options.js';
import type { BadRecord } from './record-reader.js';
import { type RewriteReport, Rewriting } from './rewriting.js';
import { StoreLog } from './store-log.js';

/** How large a store is. */
export interface StoreStats {
  readonly resources: number;
  /** How many namespaces hold a resource. */
  readonly namespaces: number;
  /** The newest position of the event log: how many events there ever were. */
  readonly position: number;
  /** How many of them are kept. */
  readonly events: number;
  /** How many bytes these have, before LevelDB compresses them. */
  readonly eventBytes: number;
  /** How many bytes the files of the store have. */
  readonly diskBytes: number;
}

/**
 * Opens the store in a folder, and makes both if they are not there. Each opening begins a new epoch of bookmarks.
 *
 * Throws `in-use` when the store is open already, in this process or another one; `corrupt` for damage that is seen
 * without reading every record; `unsupported` for a format from the future; `resource-exhausted` when the disk is full;
 * `unavailable` for whatever else keeps the files from being read and written.
 */
export async function openLevelDBStore(folder: string, options: LevelDBStoreOptions): Promise<LevelDBStore> {
  const resolved = resolveStoreOptions(options);
  const path = await mkdir(folder, { recursive: true })
    .then(() => realpath(folder))
    .catch((error: unknown) => {
      throw translateError(error, 'open', folder);
    });
  const release = claimFolder(path);
  try {
    return new LevelDBStore(await openDatabase(path, resolved), resolved, release);
  } catch (error) {
    release();
    throw translateError(error, 'open', folder);
  }
}

/**
 * A durable store of resources and their events, of any number of namespaces, in one LevelDB database. Made by
 * {@link openLevelDBStore}. It belongs to one process at a time.
 */
export class LevelDBStore implements Closable {
  /** Where it is: the real path. */
  readonly folder: string;
  readonly #options: ResolvedStoreOptions;
  readonly #release: () => void;
  readonly #connection: Connection;
  readonly #ledger: Ledger;
  readonly #tables: Fingerprints;
  readonly #log: StoreLog;
  readonly #commit: GroupCommit;
  readonly #compaction: LogCompaction;
  readonly #namespaces = new Map<string, NamespaceStore>();
  #rewritten = false;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(
    { database, ledger, openings, tables }: OpenedDatabase,
    options: ResolvedStoreOptions,
    release: () => void,
  ) {
    const { marshaler, clock, logger, sync } = options;
    this.folder = database.folder;
    this.#options = options;
    this.#release = release;
    this.#ledger = ledger;
    this.#tables = tables;
    this.#connection = new Connection(database, async (again) => {
      const mine = this.#log.openings.at(-1);
      if (mine !== undefined && sameOpening(mine, await newestOpening(again))) return;
      throw new CorruptError('somebody else has opened the store while it was being opened again');
    });
    this.#log = new StoreLog(this.#connection, marshaler, ledger, openings);
    this.#commit = new GroupCommit({
      connection: this.#connection,
      marshaler,
      ledger,
      log: this.#log,
      clock,
      logger,
      sync,
      onBatch: () => this.#compaction.grown(),
    });
    this.#compaction = new LogCompaction({
      bounds: options.log,
      commit: this.#commit,
      ledger,
      log: this.#log,
      clock,
      logger,
    });
  }

  /** What the state of a namespace keeps its resources in. The same object for the same name. */
  namespace(namespace: string): BackingStore {
    this.#checkOpen();
    let store = this.#namespaces.get(namespace);
    if (store === undefined) {
      store = new NamespaceStore({
        namespace,
        connection: this.#connection,
        marshaler: this.#options.marshaler,
        ledger: this.#ledger,
        log: this.#log,
        commit: this.#commit,
        logger: this.#options.logger,
        rewritten: () => this.#rewritten,
        onDamage: (err) => {
          if (!this.#options.lenient) throw err;
          this.#options.logger.error({ err, namespace }, 'damage in the store is passed over');
        },
      });
      this.#namespaces.set(namespace, store);
    }
    return store;
  }

  /** The namespaces that hold a resource, in the order of their names. */
  get namespaces(): readonly string[] {
    return [...this.#ledger.namespaces].sort();
  }

  /** The records that lenient loading passed over, of the namespaces that have been loaded. */
  get badRecords(): readonly BadRecord[] {
    return [...this.#namespaces.values()].flatMap((store) => store.badRecords);
  }

  async stats(options: CallOptions = {}): Promise<StoreStats> {
    this.#checkOpen();
    options.signal?.throwIfAborted();
    const { position, floor, eventBytes } = this.#ledger.extent;
    const { resources } = this.#ledger.total;
    const namespaces = this.#ledger.namespaces.length;
    const files = await folderFiles(this.folder);
    const sizes = await Promise.all(files.map(({ name }) => fileBytes(this.folder, name)));
    const diskBytes = sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
    return { resources, namespaces, position, events: position - floor, eventBytes, diskBytes };
  }

  /**
   * Forgets the events that are beyond the log's bounds now, in bounded steps between the writes. It is done from time to
   * time anyway. Gives how many events that were.
   */
  async compactLog(options: CallOptions = {}): Promise<number> {
    this.#checkOpen();
    return this.#compaction.run(options.signal);
  }

  /**
   * Writes again what the marshaler would write otherwise today (`isCurrent`), with a newer key for instance, in bounded
   * steps between the writes. When it has ended without unreadable records, the old key is not needed any more, but for
   * backups. It can be ended and begun again at any time.
   */
  async rewriteRecords(options: CallOptions = {}): Promise<RewriteReport> {
    this.#checkOpen();
    this.#rewritten = true;
    return new Rewriting(this.#commit, this.#ledger, this.#options.marshaler).run(options.signal);
  }

  /**
   * Writes all that the store holds at this moment to another folder, while it stays in use. The folder must not exist, or
   * be empty; it is there when the backup is complete. To use a backup, open it as a store, or copy it to where one was.
   */
  async backup(folder: string, options: CallOptions = {}): Promise<BackupReport> {
    this.#checkOpen();
    return writeBackup(this.#connection, folder, options.signal);
  }

  /**
   * Waits for the writes in progress, and closes the store; later calls fail with `closed`. The states on it are to be
   * closed before. Rejects when a write that failed could not be taken back: it may be there after the next opening.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    try {
      await this.#compaction.close();
      await this.#commit.close();
      await this.#connection.close();
      await this.#recordClosing();
    } catch (error) {
      await this.#connection.close();
      throw error;
    } finally {
      this.#release();
    }
  }

  async #recordClosing(): Promise<void> {
    try {
      await writeKnownTables(this.folder, this.#tables);
    } catch (err) {
      // The next opening checks more then.
      this.#options.logger.warn({ err }, 'it could not be recorded which tables have been checked');
    }
    try {
      await writeClosingRecord(this.folder, this.#ledger.extent.position);
    } catch (err) {
      // The store is complete without it. What the next opening cannot see then is a log that lost its very end.
      this.#options.logger.warn({ err }, 'it could not be recorded how the store was closed');
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new ClosedError('the store is closed');
  }
}
