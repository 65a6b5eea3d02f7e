import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderFile, fileBytes, fileContents, folderFiles } from './folder-files.js';
import { readLogFormat } from './log-format.js';
import { type Manifest, readManifest } from './manifest.js';
import { checkTable } from './table.js';

/** Something wrong with a file. */
export interface FileFault {
  readonly file: string;
  readonly what: string;
}

export interface FilesReport {
  /** Whether there is a database. */
  readonly exists: boolean;
  /** The name of the manifest in use; undefined when that cannot be told. */
  readonly manifest: string | undefined;
  /** The files that the database consists of, as far as that can be told. */
  readonly files: readonly string[];
  readonly faults: readonly FileFault[];
  /** How many bytes of writes that were never finished the last log ends with, as after a crash. */
  readonly tornBytes: number;
}

/**
 * Checks the files of a LevelDB database before LevelDB does. It would make a new database where the pointer to the old
 * one is lost, go on with what is left of a damaged log, and delete what it does not need any more then.
 *
 * @param deep checks every byte of the tables too; else just what LevelDB relies on blindly
 */
export async function checkFiles(folder: string, deep: boolean): Promise<FilesReport> {
  const all = await folderFiles(folder);
  const faults: FileFault[] = [];
  const report = (manifest: string | undefined, files: readonly string[], tornBytes: number): FilesReport => ({
    exists: true,
    manifest,
    files,
    faults,
    tornBytes,
  });
  const current = await fileContents(folder, 'CURRENT');
  if (current === undefined && all.every(isOfNewDatabase)) {
    return { exists: false, manifest: undefined, files: [], faults, tornBytes: 0 };
  }
  const name = current === undefined ? undefined : /^(MANIFEST-\d{6,})\n$/.exec(current.toString('latin1'))?.[1];
  if (name === undefined) {
    faults.push({ file: 'CURRENT', what: current === undefined ? 'it is missing' : 'it does not name a manifest' });
    return report(undefined, [], 0);
  }
  const manifest = await readManifestFile(folder, name, faults);
  if (manifest === undefined) return report(undefined, ['CURRENT', name], 0);
  const tables = await checkTables(folder, all, manifest, deep, faults);
  const logs = await checkLogs(folder, all, manifest, faults);
  await checkLock(folder, faults);
  return report(name, ['CURRENT', name, ...tables, ...logs.names], logs.tornBytes);
}

/** What can be there before the making of a database is complete. */
function isOfNewDatabase({ kind, number }: FolderFile): boolean {
  return kind === 'lock' || kind === 'diary' || kind === 'temporary' || (kind === 'manifest' && number === 1);
}

async function readManifestFile(folder: string, name: string, faults: FileFault[]): Promise<Manifest | undefined> {
  const contents = await fileContents(folder, name);
  if (contents === undefined) {
    faults.push({ file: 'CURRENT', what: `it names ${name}, which does not exist` });
    return undefined;
  }
  // A change of the set of files that was not finished did not happen: what it would have replaced is still there.
  const { records, fault } = readLogFormat(contents);
  if (fault !== undefined) {
    faults.push({ file: name, what: `${fault.what}, at byte ${fault.offset}` });
    return undefined;
  }
  try {
    return readManifest(records);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    faults.push({ file: name, what: error.message });
    return undefined;
  }
}

async function checkTables(
  folder: string,
  all: readonly FolderFile[],
  manifest: Manifest,
  deep: boolean,
  faults: FileFault[],
): Promise<string[]> {
  const names: string[] = [];
  for (const [number, bytes] of manifest.tables) {
    const name = all.find((file) => file.kind === 'table' && file.number === number)?.name;
    if (name === undefined) {
      faults.push({ file: `${String(number).padStart(6, '0')}.ldb`, what: 'it is missing' });
      continue;
    }
    names.push(name);
    const what = await faultOfTable(folder, name, bytes, deep);
    if (what !== undefined) faults.push({ file: name, what });
  }
  return names;
}

/** Undefined when there is none. */
export async function faultOfTable(
  folder: string,
  name: string,
  bytes: number,
  deep: boolean,
): Promise<string | undefined> {
  const present = await fileBytes(folder, name);
  if (present !== bytes) return `it has ${present} bytes instead of ${bytes}`;
  try {
    if (deep) {
      const contents = await readFile(join(folder, name));
      await checkTable(
        (offset, size) => contents.subarray(Math.max(0, offset), Math.max(0, offset + size)),
        bytes,
        true,
      );
      return undefined;
    }
    const file = await open(join(folder, name), 'r');
    try {
      await checkTable((offset, size) => bytesAt(file, offset, size), bytes, false);
    } finally {
      await file.close();
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}

async function bytesAt(file: FileHandle, offset: number, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  const { bytesRead } = await file.read(buffer, 0, size, Math.max(0, offset));
  return buffer.subarray(0, bytesRead);
}

async function checkLogs(folder: string, all: readonly FolderFile[], manifest: Manifest, faults: FileFault[]) {
  const logs = all.filter(({ kind, number }) => kind === 'log' && number >= manifest.logNumber);
  logs.sort((a, b) => a.number - b.number);
  if (manifest.logNumber > 0 && logs[0]?.number !== manifest.logNumber) {
    faults.push({ file: `${String(manifest.logNumber).padStart(6, '0')}.log`, what: 'it is missing' });
  }
  let tornBytes = 0;
  for (const { name } of logs) {
    const contents = await readFile(join(folder, name));
    // One without contents was made by an opening that did not come to its end.
    if (contents.length === 0) continue;
    // A log is complete before something is written to the next one.
    if (tornBytes > 0) faults.push({ file: name, what: 'the log before it is cut off' });
    const { fault, tornBytes: torn } = readLogFormat(contents);
    if (fault !== undefined) faults.push({ file: name, what: `${fault.what}, at byte ${fault.offset}` });
    tornBytes = torn;
  }
  return { names: logs.map(({ name }) => name), tornBytes };
}

async function checkLock(folder: string, faults: FileFault[]): Promise<void> {
  const bytes = await fileBytes(folder, 'LOCK');
  if (bytes !== undefined && bytes > 0) faults.push({ file: 'LOCK', what: 'it should be empty' });
}
