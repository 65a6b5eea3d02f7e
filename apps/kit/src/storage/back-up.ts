import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CallOptions } from '@cosi-ts/state';
import type { BackupReport, LevelDBStore } from '@cosi-ts/store-leveldb';
import { createFile, syncFolder } from '../files/durable-file.js';
import { ensureFolder } from '../files/ensure-folder.js';
import { undefinedIfMissing } from '../files/missing-file.js';
import { StartError } from '../start-error.js';
import { targetError } from './data-error.js';
import { DataFolder } from './data-folder.js';
import type { DataProfile } from './data-profile.js';

/**
 * Copies a data folder whose store is open: the store, the key storage and the app's own files, but no private key.
 * The copy is a data folder itself. It is there when it is complete.
 *
 * @param into must not exist, or be empty
 */
export async function backUp(
  folder: DataFolder,
  store: LevelDBStore,
  into: string,
  options: CallOptions = {},
): Promise<BackupReport> {
  return makeDataFolder(folder.profile, into, async (copy) => {
    const report = await store.backup(copy.store, options);
    await copyOthers(folder, copy);
    return report;
  });
}

/** Copies what is in a data folder beside the store. */
export async function copyOthers(from: DataFolder, to: DataFolder): Promise<void> {
  for (const name of ['keys', ...from.profile.files]) {
    const content = await readFile(from.file(name)).catch(undefinedIfMissing);
    if (content !== undefined) await createFile(to.file(name), content);
  }
}

/**
 * Makes a data folder that is there with all that is to be in it, or not at all.
 *
 * @param path must not exist, or be empty
 */
export async function makeDataFolder<T>(
  profile: DataProfile,
  path: string,
  fill: (folder: DataFolder) => Promise<T>,
): Promise<T> {
  try {
    const names = await readdir(path).catch(undefinedIfMissing);
    if (names !== undefined && names.length > 0) {
      throw new StartError(`the folder ${path} is not empty: name one that does not exist`);
    }
    const parent = dirname(path);
    await ensureFolder(parent);
    const partial = await mkdtemp(join(parent, `.${basename(path)}.partial-`));
    try {
      const result = await fill(new DataFolder(profile, partial));
      await rename(partial, path);
      await syncFolder(parent);
      return result;
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw targetError(error, path);
  }
}
