import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file, or makes it, readable by its owner only. A crash leaves the old content or the new one; when it
 * resolves, the new one survives the loss of power. Not to be called twice at once for one path.
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.next`;
  await writeDraft(draft, content);
  try {
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Makes a file that is not there, readable by its owner only: with all of its content, or not at all. Gives false, and
 * leaves the other one alone, when there is a file of that name.
 */
export async function createFile(path: string, content: string | Uint8Array): Promise<boolean> {
  const draft = `${path}.${process.pid}`;
  await writeDraft(draft, content);
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Makes what a folder lists survive the loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeDraft(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
