import { mkdir, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { InvalidArgumentError } from '@cosi-ts/resource';
import { ignoreMissing, syncFolder } from './files/folder-files.js';

/**
 * Makes a folder that is there with all that is to be in it, or not at all: it is filled beside the place and moved there.
 *
 * @param folder must not exist, or be empty: else `invalid-argument`
 */
export async function makeFolder<T>(folder: string, fill: (partial: string) => Promise<T>): Promise<T> {
  const target = resolve(folder);
  const names = await readdir(target).catch(ignoreMissing);
  if (names !== undefined && names.length > 0) {
    throw new InvalidArgumentError(`the folder ${JSON.stringify(target)} is not empty`);
  }
  await mkdir(dirname(target), { recursive: true });
  const partial = await realpath(await mkdtemp(join(dirname(target), `.${basename(target)}.partial-`)));
  try {
    const result = await fill(partial);
    await rename(partial, target);
    await syncFolder(dirname(target));
    return result;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}
