import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that LevelDB keeps in the folder of a database. Other files there are none of its business. */
export interface FolderFile {
  readonly name: string;
  readonly kind: 'current' | 'manifest' | 'log' | 'table' | 'lock' | 'diary' | 'temporary';
  /** 0 for those without. */
  readonly number: number;
}

const kinds: readonly (readonly [pattern: RegExp, kind: FolderFile['kind']])[] = [
  [/^CURRENT$/, 'current'],
  [/^MANIFEST-(\d+)$/, 'manifest'],
  [/^(\d+)\.log$/, 'log'],
  [/^(\d+)\.(?:ldb|sst)$/, 'table'],
  [/^LOCK$/, 'lock'],
  [/^LOG(?:\.old)?$/, 'diary'],
  [/^(\d+)\.dbtmp$/, 'temporary'],
];

/** What LevelDB has in a folder, by name. Empty for a folder that does not exist. */
export async function folderFiles(folder: string): Promise<FolderFile[]> {
  const names = await readdir(folder).catch(ignoreMissing);
  return (names ?? []).sort().flatMap((name) => {
    for (const [pattern, kind] of kinds) {
      const match = pattern.exec(name);
      if (match !== null) return [{ name, kind, number: Number(match[1] ?? 0) }];
    }
    return [];
  });
}

/** The contents; undefined when there is no such file. */
export async function fileContents(folder: string, name: string): Promise<Buffer | undefined> {
  return readFile(join(folder, name)).catch(ignoreMissing);
}

/** Undefined when there is no such file. */
export async function fileBytes(folder: string, name: string): Promise<number | undefined> {
  return (await stat(join(folder, name)).catch(ignoreMissing))?.size;
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

export function ignoreMissing(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
  return undefined;
}
