import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readCheckedFile, writeCheckedFile } from './checked-file.js';
import type { FilesReport } from './files/check-files.js';
import type { FileFault } from './files/file-fault.js';
import { fileBytes, fileContents, folderFiles, ignoreMissing } from './files/folder-files.js';

/** The file that tells how a store was closed. It is gone while the store is open. */
const recordFile = 'CLOSED';

/** The same file while the store is being opened, or after that has failed: LevelDB has begun new diaries then. */
const openingFile = 'OPENING';

/**
 * What the files were when the store was closed. After a crash there is none, and then the end of the last log cannot be
 * told from what a crash leaves; with it, every byte of every file is known.
 */
export interface ClosingRecord {
  /** The manifest at that time. Every opening makes a new one: with another manifest the record is outdated. */
  readonly manifest: string;
  /** The newest position of the log. */
  readonly position: number;
  /** Size and CRC-32 of each file; of tables the size alone, because their blocks have checksums. */
  readonly files: Readonly<Record<string, readonly [bytes: number, checksum?: number]>>;
}

/** To be called when the database is closed. Gives up when somebody else has opened it since. */
export async function writeClosingRecord(folder: string, position: number): Promise<void> {
  const before = await fileContents(folder, 'CURRENT');
  if (before === undefined) return;
  const files: Record<string, readonly [number, number?]> = {};
  for (const { name, kind } of await folderFiles(folder)) {
    // The lock is never opened here: closing it again would end the lock of this process.
    if (kind === 'lock' || kind === 'temporary') continue;
    if (kind === 'table') files[name] = [(await fileBytes(folder, name)) ?? 0];
    else {
      const contents = (await fileContents(folder, name)) ?? Buffer.alloc(0);
      files[name] = [contents.length, crc32(contents)];
    }
  }
  const record: ClosingRecord = { manifest: before.toString('latin1').trim(), position, files };
  await writeCheckedFile(
    folder,
    recordFile,
    record,
    async () => (await fileContents(folder, 'CURRENT'))?.equals(before) === true,
  );
}

/** To be called before LevelDB is let at the files. */
export async function beginOpening(folder: string): Promise<void> {
  await rename(join(folder, recordFile), join(folder, openingFile)).catch(ignoreMissing);
}

/** To be called when the store is open. */
export async function removeClosingRecord(folder: string): Promise<void> {
  for (const file of [recordFile, openingFile]) await rm(join(folder, file), { force: true });
}

export interface ClosingCheck {
  /** Whether the store was closed, as far as it can be told, and nobody has begun to open it since. */
  readonly closed: boolean;
  /** Undefined when there is none, or it is outdated or damaged. Nobody has written to the store since it was made. */
  readonly record: ClosingRecord | undefined;
  readonly faults: readonly FileFault[];
}

/**
 * Compares the files with what they were when the store was closed.
 *
 * @param diaries compares LevelDB's diaries too, of which nothing depends
 */
export async function checkClosingRecord(folder: string, report: FilesReport, diaries: boolean): Promise<ClosingCheck> {
  const ofClosed = await readCheckedFile(folder, recordFile);
  const closed = ofClosed !== undefined;
  const written = ofClosed ?? (await readCheckedFile(folder, openingFile));
  if (written === undefined) return { closed, record: undefined, faults: [] };
  const fault = (file: string, what: string, effect: FileFault['effect']): ClosingCheck => ({
    closed,
    record: undefined,
    faults: [{ file, what, effect }],
  });
  if (written === 'damaged') return fault(closed ? recordFile : openingFile, 'it is damaged', 'reads');
  const record = written as unknown as ClosingRecord;
  if (!report.exists) return fault('CURRENT', 'it is missing', 'fails');
  // What is wrong with the manifest has been found out already.
  if (report.manifest === undefined) return { closed, record: undefined, faults: [] };
  if (manifestNumber(report.manifest) < manifestNumber(record.manifest)) {
    return fault('CURRENT', `it names an older manifest than ${record.manifest}`, 'skips');
  }
  if (record.manifest !== report.manifest) return { closed: false, record: undefined, faults: [] };
  const faults: FileFault[] = [];
  for (const [file, [bytes, checksum]] of Object.entries(record.files)) {
    const isDiary = file === 'LOG' || file === 'LOG.old';
    // The check of the files looks at the tables.
    if (checksum === undefined || (isDiary && !(diaries && closed))) continue;
    const present = await fileContents(folder, file);
    if (present === undefined) faults.push({ file, what: 'it is missing', effect: 'skips' });
    else if (present.length !== bytes || crc32(present) !== checksum) {
      faults.push({ file, what: 'it is not as it was when the store was closed', effect: isDiary ? 'reads' : 'skips' });
    }
  }
  return { closed, record, faults };
}

function manifestNumber(name: string): number {
  return Number(name.replace('MANIFEST-', ''));
}
