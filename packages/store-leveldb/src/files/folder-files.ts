import { closeSync, fstatSync, openSync, read } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

/** Buffers have a multiple of this: files of about one size fit into one. */
const bufferStep = 1024 * 1024;

/**
 * Reads files one after the other into memory that is used again: what was given for a file may be overwritten by the
 * next but one. Getting new memory for each takes longer than reading.
 */
export class FileReader {
  readonly #folder: string;
  readonly #buffers: Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)];
  #files = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * The contents; undefined when there is no such file. The file is being read when this returns, also while the caller
   * keeps the thread busy: steps that each had to wait for it would wait longer than they take.
   */
  async read(name: string): Promise<Buffer | undefined> {
    const file = openedFile(join(this.#folder, name));
    if (file === undefined) return undefined;
    try {
      const { size } = fstatSync(file);
      const buffer = this.#buffer(size);
      let filled = 0;
      for (let read = size; read > 0 && filled < size; filled += read) {
        ({ bytesRead: read } = await readInto(file, buffer, filled, size - filled, filled));
      }
      return buffer.subarray(0, filled);
    } finally {
      closeSync(file);
    }
  }

  #buffer(size: number): Buffer {
    const which = this.#files++ % 2;
    const buffer = this.#buffers[which] as Buffer;
    if (buffer.length >= size) return buffer;
    const larger = Buffer.allocUnsafe(Math.ceil(size / bufferStep) * bufferStep);
    this.#buffers[which] = larger;
    return larger;
  }
}

const readInto = promisify(read);

function openedFile(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    return ignoreMissing(error);
  }
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
