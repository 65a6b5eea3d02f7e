import { CorruptError, InUseError } from '@cosi-ts/resource';
import type { Clock, Random } from '@cosi-ts/state';
import { beginOpening, type ClosingCheck, checkClosingRecord, removeClosingRecord } from './closing-record.js';
import { Database } from './database.js';
import { checkFiles, type FilesReport } from './files/check-files.js';
import type { Fingerprints } from './files/check-tables.js';
import type { FileFault } from './files/file-fault.js';
import { checkFormat, formatEntry, formatKey } from './format.js';
import { eventRange, everything, type KeyRange, keyNumber, spaceRange } from './keys.js';
import { readKnownTables } from './known-tables.js';
import { type Entry, headKey, Ledger, putLedger } from './ledger.js';
import type { Logger } from './logger.js';
import { nextOpening, type Opening, openingEntry, readOpenings } from './openings.js';

export interface OpenedDatabase {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly openings: readonly Opening[];
  /** The tables that were in order before the opening. */
  readonly tables: Fingerprints;
}

export interface OpenInit {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Opens the database of a store, or makes one, and begins an epoch. Whatever can be seen to be wrong without reading all
 * of it throws, before anything is changed as far as possible.
 */
export async function openDatabase(folder: string, init: OpenInit): Promise<OpenedDatabase> {
  const { report, closing } = await checkedFiles(folder, init.logger);
  if (report.tornBytes > 0) {
    init.logger.info({ folder, bytes: report.tornBytes }, 'the store was not closed, its last write was not finished');
  }
  await beginOpening(folder);
  const database = await Database.open(folder, !report.exists);
  try {
    const ledger = (await isEmpty(database)) ? await initialise(database) : await readLedger(database);
    const position = ledger.extent.position;
    if (closing.record !== undefined && closing.record.position !== position) {
      throw new CorruptError(`the store was closed at position ${closing.record.position}, and is at ${position} now`);
    }
    await checkLogEnds(database, ledger);
    const before = readOpenings(await allEntries(database, spaceRange('opening')), position);
    const opening = nextOpening(before, position, init.random);
    const entry = openingEntry(opening, init.clock);
    await database.write((batch) => batch.put(...entry), true);
    await removeClosingRecord(folder);
    return { database, ledger, openings: [...before, opening], tables: report.fingerprints };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The last opening that the database knows of. */
export async function newestOpening(database: Database): Promise<Opening | undefined> {
  const entries = await database.read(spaceRange('opening'), { limit: 1, reverse: true });
  return readOpenings(entries, Number.MAX_SAFE_INTEGER)[0];
}

/** The ledger of a database of the present format. Throws `unsupported` or `corrupt`. */
export async function readLedger(database: Database): Promise<Ledger> {
  checkFormat(await database.get(formatKey), database.folder);
  return Ledger.read(await database.get(headKey), await allEntries(database, spaceRange('namespace')));
}

export async function allEntries(database: Database, range: KeyRange): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const entries of database.entries(range)) all.push(...entries);
  return all;
}

async function checkedFiles(folder: string, logger: Logger): Promise<{ report: FilesReport; closing: ClosingCheck }> {
  for (let attempt = 1; ; attempt++) {
    const known = await readKnownTables(folder);
    const report = await checkFiles(folder, known.fingerprints);
    const closing = await checkClosingRecord(folder, report, false);
    const faults = [...known.faults, ...report.faults, ...closing.faults];
    if (faults.length === 0) return { report, closing };
    // Files that somebody is writing to look damaged at times.
    if (!closing.closed && (await Database.isInUse(folder))) {
      throw new InUseError(`the store in ${JSON.stringify(folder)} is in use already`);
    }
    if (attempt === 1) continue;
    const fatal = faults.filter(({ effect }) => effect !== 'reads');
    if (fatal.length > 0) {
      throw new CorruptError(`the store in ${JSON.stringify(folder)} is damaged: ${faultText(fatal)}`);
    }
    // Whoever reads the records concerned is told.
    logger.error({ folder, faults }, 'the store has damaged records');
    return { report, closing };
  }
}

function faultText(faults: readonly FileFault[]): string {
  return faults.map(({ file, what }) => `${file}: ${what}`).join('; ');
}

async function isEmpty(database: Database): Promise<boolean> {
  return (await database.read(everything, { limit: 1 })).length === 0;
}

async function initialise(database: Database): Promise<Ledger> {
  const ledger = Ledger.empty();
  await database.write((batch) => {
    batch.put(...formatEntry());
    putLedger(batch, ledger.allWrites());
  }, true);
  return ledger;
}

/** Positions have no gaps: that the first and the last event are the right ones says that as many are there as should be. */
async function checkLogEnds(database: Database, ledger: Ledger): Promise<void> {
  const { position, floor } = ledger.extent;
  const range = eventRange(-1, Number.MAX_SAFE_INTEGER - 1);
  const [first] = await database.read(range, { limit: 1 });
  const [last] = await database.read(range, { limit: 1, reverse: true });
  const [firstPosition, lastPosition] = [first, last].map((entry) =>
    entry === undefined ? undefined : keyNumber(entry[0]),
  );
  const complete = position === floor ? first === undefined : firstPosition === floor + 1 && lastPosition === position;
  if (!complete) {
    throw new CorruptError(
      `the event log should hold the events ${floor + 1} to ${position}, and holds ${firstPosition} to ${lastPosition}`,
    );
  }
}
