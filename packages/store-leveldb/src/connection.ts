import { ClosedError, isCorrupt } from '@cosi-ts/resource';
import { Database } from './database.js';

/**
 * The way to a database that can be closed and opened again under those who use it. Whoever comes while it is closed
 * waits, and tries to open it again when that had failed.
 */
export class Connection {
  readonly folder: string;
  readonly #check: (database: Database) => Promise<void>;
  #database: Database | undefined;
  #uses = 0;
  #unused: (() => void) | undefined;
  #reopening: Promise<void> | undefined;
  /** Why it will not be open again. */
  #ended: Error | undefined;

  /**
   * @param check throws `corrupt` when a database that was opened again is not the one that was closed: then the
   *   connection has failed for good
   */
  constructor(database: Database, check: (database: Database) => Promise<void>) {
    this.folder = database.folder;
    this.#database = database;
    this.#check = check;
  }

  /** Works with the database while it stays open. The work must not use the connection, which may wait for it. */
  async use<T>(work: (database: Database) => Promise<T>): Promise<T> {
    this.#checkNotEnded();
    while (this.#database === undefined) {
      await this.reopen();
      this.#checkNotEnded();
    }
    const database = this.#database;
    this.#uses++;
    try {
      return await work(database);
    } finally {
      if (--this.#uses === 0) this.#unused?.();
    }
  }

  /** Closes the database when nobody uses it any more, and opens it again. */
  reopen(): Promise<void> {
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  /** Lets every later use fail with the error. */
  fail(error: Error): void {
    this.#ended ??= error;
  }

  /** Closes the database when nobody uses it any more. Later uses reject with `closed`. */
  async close(): Promise<void> {
    this.fail(new ClosedError('the store is closed'));
    // How a reopening ended was told to who asked for it.
    await this.#reopening?.catch(() => undefined);
    await this.#release();
  }

  #checkNotEnded(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  async #reopen(): Promise<void> {
    await this.#release();
    this.#checkNotEnded();
    const database = await Database.open(this.folder);
    try {
      await this.#check(database);
    } catch (error) {
      if (isCorrupt(error)) this.fail(error);
      await database.close();
      throw error;
    }
    this.#database = database;
  }

  async #release(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    if (database === undefined) return;
    if (this.#uses > 0) {
      await new Promise<void>((resolve) => {
        this.#unused = resolve;
      });
      this.#unused = undefined;
    }
    await database.close();
  }
}
