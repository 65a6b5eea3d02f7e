import { readCheckedFile, writeCheckedFile } from './checked-file.js';
import { type Fingerprints, fingerprintTables } from './files/check-tables.js';
import type { FileFault } from './files/file-fault.js';

/** The file that tells which tables have been checked, and what they were. It stays there while the store is open. */
const tablesFile = 'TABLES';

/** How many bytes of tables that are not known yet are checked when the store is closed: for less than half a second. */
const maxNewBytes = 256 * 1024 * 1024;

export interface KnownTables {
  readonly fingerprints: Fingerprints;
  readonly faults: readonly FileFault[];
}

/**
 * Reads which tables were found to be in order once. LevelDB never changes a table: one with the same name and fingerprint
 * is in order still, whatever happened since.
 */
export async function readKnownTables(folder: string): Promise<KnownTables> {
  const written = await readCheckedFile(folder, tablesFile);
  if (written === 'damaged') {
    return { fingerprints: new Map(), faults: [{ file: tablesFile, what: 'it is damaged', effect: 'reads' }] };
  }
  return { fingerprints: new Map(Object.entries(written ?? {}) as [string, string][]), faults: [] };
}

/**
 * Writes down which of the tables that there are now are known to be in order, and checks those that are not known. Most
 * were made lately, and are in the memory of the operating system still. What is too much is left to the next opening.
 *
 * @param known from the opening on
 */
export async function writeKnownTables(folder: string, known: Fingerprints): Promise<void> {
  const fingerprints = await fingerprintTables(folder, known, maxNewBytes);
  await writeCheckedFile(folder, tablesFile, Object.fromEntries(fingerprints));
}
