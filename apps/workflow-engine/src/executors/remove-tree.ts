import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a folder and all that is in it, also folders that may not be written to. Does nothing when it is not there. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    await allowRemoval(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Lets the owner change all folders below one. Tools make some that nobody may, like caches of packages. */
export async function allowRemoval(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await allowRemoval(join(folder, entry.name));
  }
}
