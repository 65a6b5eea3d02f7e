import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkTables, type Fingerprints } from './check-tables.js';
import type { FileFault } from './file-fault.js';
import { type FolderFile, fileBytes, fileContents, folderFiles } from './folder-files.js';
import { readLogFormat } from './log-format.js';
import { currentManifest, type Manifest, numberedName, readManifest } from './manifest.js';

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
  /** The tables that are in order. */
  readonly fingerprints: Fingerprints;
}

/**
 * Checks the files of a LevelDB database before LevelDB does, byte for byte. It would make a new database where the
 * pointer to the old one is lost, go on with what is left of a damaged log, delete what it does not need any more then,
 * and take its tables for good.
 *
 * @param known tables that have one of these fingerprints need no other check
 */
export async function checkFiles(folder: string, known: Fingerprints = new Map()): Promise<FilesReport> {
  const all = await folderFiles(folder);
  const faults: FileFault[] = [];
  const fingerprints = new Map<string, string>();
  const report = (manifest: string | undefined, files: readonly string[], tornBytes: number): FilesReport => ({
    exists: true,
    manifest,
    files,
    faults,
    tornBytes,
    fingerprints,
  });
  const current = await fileContents(folder, 'CURRENT');
  if (current === undefined && all.every(isOfNewDatabase)) {
    return { ...report(undefined, [], 0), exists: false };
  }
  const name = current === undefined ? undefined : currentManifest(current);
  if (name === undefined) {
    const what = current === undefined ? 'it is missing' : 'it does not name a manifest';
    faults.push({ file: 'CURRENT', what, effect: 'fails' });
    return report(undefined, [], 0);
  }
  const manifest = await readManifestFile(folder, name, faults);
  if (manifest === undefined) return report(undefined, [], 0);
  const tables = await checkTables(folder, all, manifest, known, fingerprints, faults);
  const logs = await checkLogs(folder, all, manifest, faults);
  if (((await fileBytes(folder, 'LOCK')) ?? 0) > 0) {
    faults.push({ file: 'LOCK', what: 'it should be empty', effect: 'reads' });
  }
  return report(name, ['CURRENT', name, ...tables, ...logs.names], logs.tornBytes);
}

/** What can be there before the making of a database is complete. */
function isOfNewDatabase({ kind, number }: FolderFile): boolean {
  return kind === 'lock' || kind === 'diary' || kind === 'temporary' || (kind === 'manifest' && number === 1);
}

async function readManifestFile(folder: string, name: string, faults: FileFault[]): Promise<Manifest | undefined> {
  const fails = (file: string, what: string) => {
    faults.push({ file, what, effect: 'fails' });
    return undefined;
  };
  const contents = await fileContents(folder, name);
  if (contents === undefined) return fails('CURRENT', `it names ${name}, which does not exist`);
  // A change of the set of files that was not finished did not happen: what it would have replaced is still there.
  const { records, fault } = readLogFormat(contents);
  if (fault !== undefined) return fails(name, `${fault.what}, at byte ${fault.offset}`);
  try {
    return readManifest(records);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fails(name, error.message);
  }
}

async function checkLogs(folder: string, all: readonly FolderFile[], manifest: Manifest, faults: FileFault[]) {
  const skips = (file: string, what: string) => faults.push({ file, what, effect: 'skips' });
  const logs = all.filter(({ kind, number }) => kind === 'log' && number >= manifest.logNumber);
  logs.sort((a, b) => a.number - b.number);
  if (manifest.logNumber > 0 && logs[0]?.number !== manifest.logNumber) {
    skips(numberedName(manifest.logNumber, 'log'), 'it is missing');
  }
  let tornBytes = 0;
  for (const { name } of logs) {
    const contents = await readFile(join(folder, name));
    // One without contents was made by an opening that did not come to its end.
    if (contents.length === 0) continue;
    // A log is complete before something is written to the next one.
    if (tornBytes > 0) skips(name, 'the log before it is cut off');
    const { fault, tornBytes: torn } = readLogFormat(contents);
    if (fault !== undefined) skips(name, `${fault.what}, at byte ${fault.offset}`);
    tornBytes = torn;
  }
  return { names: logs.map(({ name }) => name), tornBytes };
}
