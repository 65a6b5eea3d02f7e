import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, as far as they are missing, each for its owner only. The recursive one of the
 * platform never comes back where a file system takes no new names, as below /proc.
 */
export async function ensureFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Somebody else was quicker.
    if (code === 'EEXIST' && (await isFolder(path))) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || (await isFolder(above))) throw error;
    await ensureFolder(above);
    await mkdir(path, { mode: 0o700 }).catch(async (again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST' || !(await isFolder(path))) throw again;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
