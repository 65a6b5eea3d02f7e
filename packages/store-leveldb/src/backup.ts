import { UnavailableError } from '@cosi-ts/resource';
import { unframed } from './checksum.js';
import { writeClosingRecord } from './closing-record.js';
import type { Connection } from './connection.js';
import { after, Database, type Snapshot } from './database.js';
import { everything, type KeyRange } from './keys.js';
import { type Entry, headKey, readExtent } from './ledger.js';
import { translateError } from './level-errors.js';
import { makeFolder } from './new-folder.js';

export interface BackupReport {
  /** How many entries were copied: resources, events, and what the store notes about them. */
  readonly entries: number;
  /** The newest position that is in it. */
  readonly position: number;
  /** How many values were damaged already, and were copied as they are. */
  readonly damaged: number;
}

const stepEntries = 1000;

/** Copies a database at one moment to a new folder. */
export async function writeBackup(
  connection: Connection,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<BackupReport> {
  signal?.throwIfAborted();
  try {
    return await makeFolder(folder, (partial) => copyTo(partial, connection, signal));
  } catch (error) {
    throw translateError(error, 'back up to', folder);
  }
}

async function copyTo(folder: string, connection: Connection, signal: AbortSignal | undefined): Promise<BackupReport> {
  const source = await Source.of(connection);
  try {
    const copy = await Database.open(folder, true);
    try {
      const counts = await copyEntries(source, copy, signal);
      const { position } = readExtent(await copy.get(headKey));
      await copy.close();
      await writeClosingRecord(folder, position);
      return { ...counts, position };
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

async function copyEntries(source: Source, copy: Database, signal: AbortSignal | undefined) {
  let entries = 0;
  let damaged = 0;
  let last: Entry | undefined;
  for (let rest: KeyRange = everything; ; rest = { start: after(last[0]), end: rest.end }) {
    signal?.throwIfAborted();
    const step = await source.read(rest);
    if (step.length > 0) {
      await copy.write((batch) => {
        for (const [key, value] of step) batch.put(key, value);
      }, false);
    } else if (last === undefined) throw new UnavailableError('the store has nothing in it');
    else {
      // Writing one of them once more, and waiting for the disk this time, makes all of them durable.
      const [key, value] = last;
      await copy.write((batch) => batch.put(key, value), true);
      return { entries, damaged };
    }
    entries += step.length;
    damaged += step.filter(([key, value]) => unframed(key, value) === undefined).length;
    last = step.at(-1) as Entry;
  }
}

/** The database as it was at the beginning. */
class Source {
  readonly #connection: Connection;
  readonly #database: Database;
  readonly #snapshot: Snapshot;

  private constructor(connection: Connection, database: Database) {
    this.#connection = connection;
    this.#database = database;
    this.#snapshot = database.snapshot();
  }

  static of(connection: Connection): Promise<Source> {
    return connection.use(async (database) => new Source(connection, database));
  }

  read(range: KeyRange): Promise<Entry[]> {
    return this.#connection.use(async (database) => {
      if (database !== this.#database) {
        throw new UnavailableError('the store was opened again after a failed write, and the backup lost its place');
      }
      return database.read(range, { limit: stepEntries, snapshot: this.#snapshot });
    });
  }

  close(): Promise<void> {
    return this.#snapshot.close();
  }
}
