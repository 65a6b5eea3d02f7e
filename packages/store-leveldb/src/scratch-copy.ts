import { copyFile, link, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/**
 * Works on a copy of some files of a database, which is removed afterwards: opening a database changes its files. Tables
 * never change, and are linked where that is possible.
 */
export async function withScratchCopy<T>(
  folder: string,
  files: readonly string[],
  work: (copy: string) => Promise<T>,
): Promise<T> {
  const copy = await realpath(await scratchFolder(folder));
  try {
    for (const file of files) {
      const [from, to] = [join(folder, file), join(copy, file)];
      const isTable = /\.(?:ldb|sst)$/.test(file);
      if (!isTable || !(await linked(from, to))) await copyFile(from, to);
    }
    return await work(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Beside the folder, where links can reach, or among the temporary files of the system. */
async function scratchFolder(folder: string): Promise<string> {
  return mkdtemp(join(dirname(folder), `.${basename(folder)}.scratch-`)).catch(() =>
    mkdtemp(join(tmpdir(), `${basename(folder)}.scratch-`)),
  );
}

async function linked(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    // Another file system, or one without links: copying says what else may be wrong.
    () => false,
  );
}
