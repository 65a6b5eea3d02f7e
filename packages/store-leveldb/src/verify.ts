import { realpath } from 'node:fs/promises';
import { InUseError, InvalidArgumentError, isCorrupt } from '@cosi-ts/resource';
import type { CallOptions } from '@cosi-ts/state';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { type ContentsReport, checkContents, type Damage } from './check-contents.js';
import { type ClosingCheck, checkClosingRecord } from './closing-record.js';
import { Database } from './database.js';
import { checkFiles, type FilesReport } from './files/check-files.js';
import { readKnownTables } from './known-tables.js';
import { translateError } from './level-errors.js';
import { claimFolder } from './open-folders.js';
import { withScratchCopy } from './scratch-copy.js';

export interface VerifyOptions extends CallOptions {
  /** Decodes every record. Default: their checksums and numbers are checked, not what is in them. */
  readonly marshaler?: Marshaler | undefined;
}

export interface VerifyReport {
  /** Whether there is no damage. */
  readonly ok: boolean;
  readonly damage: readonly Damage[];
  /**
   * Whether it is known how the store was closed. If not, as after a crash, the end of the log cannot be checked: writes
   * that were cut off there are not missed.
   */
  readonly closed: boolean;
  /** How many bytes at the end of the log belong to a write that was not finished. It was never acknowledged. */
  readonly unfinishedBytes: number;
  /** What the store holds; undefined when it is too damaged to be read. */
  readonly contents: ContentsReport | undefined;
}

/**
 * Checks a store that is not open: every byte of its files, every record and event, that none is missing, and that the log
 * has no gap. Nothing in the folder is changed; a copy is made beside it for the time, of links where that is possible.
 *
 * Throws `in-use` when the store is open, `invalid-argument` when there is none, `unavailable` when it cannot be read.
 */
export async function verifyLevelDBStore(folder: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { marshaler, signal } = options;
  return withClosedStore(folder, 'verify', async (path) => {
    signal?.throwIfAborted();
    const { files, closing } = await inspectFiles(path);
    const damage: Damage[] = [...files.faults, ...closing.faults];
    const report = (each: Damage) => damage.push(each);
    const contents = isReadable(files)
      ? await withScratchCopy(path, files.files, (copy) => verifyCopy(copy, marshaler, report, signal))
      : undefined;
    if (contents !== undefined && closing.record !== undefined && closing.record.position !== contents.position) {
      report({ what: `the store was closed at position ${closing.record.position}, and is at ${contents.position}` });
    }
    return {
      ok: damage.length === 0,
      damage,
      closed: closing.record !== undefined,
      unfinishedBytes: files.tornBytes,
      contents,
    };
  });
}

/** Works with the files of a store that nobody has open, given its real path. */
export async function withClosedStore<T>(
  folder: string,
  doing: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  let release: (() => void) | undefined;
  try {
    const path = await realpath(folder).catch((error: unknown) => {
      throw (error as { code?: unknown }).code === 'ENOENT' ? noStore(folder) : error;
    });
    release = claimFolder(path);
    return await work(path);
  } catch (error) {
    throw translateError(error, doing, folder);
  } finally {
    release?.();
  }
}

/** Checks all files of a store. */
export async function inspectFiles(path: string): Promise<{ files: FilesReport; closing: ClosingCheck }> {
  // Nothing is taken as known here, but the file must be what was written all the same.
  const known = await readKnownTables(path);
  const files = await checkFiles(path);
  const closing = await checkClosingRecord(path, files, true);
  // Nobody has opened the store since its closing was recorded. To ask LevelDB would change its diaries.
  if (!closing.closed && (await Database.isInUse(path))) {
    throw new InUseError(`the store in ${JSON.stringify(path)} is in use`);
  }
  if (!files.exists && closing.faults.length === 0) {
    throw noStore(path);
  }
  return { files: { ...files, faults: [...known.faults, ...files.faults] }, closing };
}

/** Whether LevelDB can be let at the files. What it passes over shows by what is missing then. */
export function isReadable({ exists, faults }: FilesReport): boolean {
  return exists && faults.every(({ effect }) => effect !== 'fails');
}

async function verifyCopy(
  copy: string,
  marshaler: Marshaler | undefined,
  report: (damage: Damage) => void,
  signal: AbortSignal | undefined,
): Promise<ContentsReport | undefined> {
  try {
    const database = await Database.open(copy);
    try {
      return await checkContents(database, marshaler, report, signal);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    report({ what: error.message });
    return undefined;
  }
}

function noStore(folder: string): InvalidArgumentError {
  return new InvalidArgumentError(`there is no store in ${JSON.stringify(folder)}`);
}
