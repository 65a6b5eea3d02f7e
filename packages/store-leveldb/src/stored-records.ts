import { CorruptError } from '@cosi-ts/resource';
import type { Connection } from './connection.js';
import { after } from './database.js';
import { TableScan } from './files/table-scan.js';
import type { KeyRange } from './keys.js';
import type { Logger } from './logger.js';
import type { RecordReader } from './record-reader.js';

/** How many times the tables are tried: LevelDB may replace some of them while they are read. */
const maxScans = 3;

/** How many records LevelDB is asked for in one step. */
const stepRecords = 1000;

/** Where reading from tables came to an end too early. */
interface Interruption {
  readonly rest: KeyRange;
  readonly err: unknown;
}

/**
 * Gives the stored records of a range to a reader in the order of their keys, and yields after each step.
 *
 * @param inTables whether all of them are in tables, which is so as long as none has been written since the database was
 *   opened: then the tables are read. Else, or when that fails, LevelDB is asked.
 */
export async function* readStored(
  connection: Connection,
  range: KeyRange,
  reader: RecordReader,
  inTables: boolean,
  logger: Logger,
): AsyncGenerator<void> {
  let rest = range;
  for (let scan = 0; inTables && scan < maxScans; scan++) {
    const interruption = yield* readTables(connection, rest, reader);
    if (interruption === undefined) return;
    const { err } = interruption;
    logger.info({ err }, 'the tables of the store have changed while they were read');
    rest = interruption.rest;
  }
  for (;;) {
    const entries = await connection.use((database) => database.read(rest, { limit: stepRecords }));
    const last = entries.at(-1);
    if (last === undefined) return;
    reader.addAll(entries);
    rest = { start: after(last[0]), end: range.end };
    yield;
  }
}

async function* readTables(
  connection: Connection,
  range: KeyRange,
  reader: RecordReader,
): AsyncGenerator<void, Interruption | undefined> {
  let scan: TableScan | undefined;
  try {
    const opened = await connection.use(({ folder }) => TableScan.open(folder, range));
    scan = opened;
    while (await connection.use(() => opened.fill())) {
      give(opened, reader);
      yield;
    }
    return undefined;
  } catch (err) {
    if (!isOfFiles(err)) throw err;
    return { err, rest: scan?.passed === undefined ? range : { start: after(scan.passed), end: range.end } };
  } finally {
    await scan?.close();
  }
}

function give(scan: TableScan, reader: RecordReader): void {
  try {
    scan.give(reader);
  } catch (cause) {
    // Some of the records have been given: it cannot be begun again from there.
    if (cause instanceof RangeError)
      throw new CorruptError(`a table of the store is damaged: ${cause.message}`, { cause });
    throw cause;
  }
}

/** Whether it is about what is in files, or about the files themselves. */
function isOfFiles(error: unknown): boolean {
  return error instanceof RangeError || typeof (error as { syscall?: unknown }).syscall === 'string';
}
