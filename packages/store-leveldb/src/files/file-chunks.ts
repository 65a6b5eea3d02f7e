import { closeSync, fstatSync, openSync, read } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ignoreMissing } from './folder-files.js';

/** What is read in one go: little enough for what is read and not yet worked on to stay in the processor's memory. */
const chunkBytes = 1024 * 1024;

/** How many chunks are being read while another one is worked on. */
const readAhead = 3;

/** A part of a file. */
export interface FileChunk<T> {
  readonly item: T;
  /** Good until the next chunk is asked for. */
  readonly bytes: Buffer;
  /** Whether it should be the last one. */
  readonly isLast: boolean;
}

/**
 * The contents of files that should have a certain size, piece by piece, one file after the other. Of a file that is
 * missing or has another size nothing is given, or not all.
 */
export async function* fileChunks<T extends { readonly name: string; readonly bytes: number }>(
  folder: string,
  items: readonly T[],
): AsyncGenerator<FileChunk<T>> {
  const buffers = Array.from({ length: readAhead + 1 }, () => Buffer.allocUnsafeSlow(chunkBytes));
  const readings: Promise<FileChunk<T>>[] = [];
  let count = 0;
  const begin = (reading: (buffer: Buffer) => Promise<FileChunk<T>>) => {
    const begun = reading(buffers[count++ % buffers.length] as Buffer);
    // That it failed is seen when it is its turn.
    begun.catch(() => undefined);
    readings.push(begun);
  };
  const files = new Set<number>();
  const close = (file: number) => {
    if (files.delete(file)) closeSync(file);
  };
  try {
    for (const item of items) {
      const file = openedFile(join(folder, item.name), item.bytes);
      if (file === undefined) continue;
      files.add(file);
      let left = Math.ceil(item.bytes / chunkBytes);
      for (let at = 0; at < item.bytes; at += chunkBytes) {
        const length = Math.min(chunkBytes, item.bytes - at);
        begin(async (buffer) => {
          const { bytesRead } = await readInto(file, buffer, 0, length, at);
          if (--left === 0) close(file);
          return { item, bytes: buffer.subarray(0, bytesRead), isLast: at + length === item.bytes };
        });
        if (readings.length > readAhead) yield await (readings.shift() as Promise<FileChunk<T>>);
      }
    }
    while (readings.length > 0) yield await (readings.shift() as Promise<FileChunk<T>>);
  } finally {
    await Promise.allSettled(readings);
    for (const file of files) close(file);
  }
}

const readInto = promisify(read);

function openedFile(path: string, bytes: number): number | undefined {
  try {
    const file = openSync(path, 'r');
    if (fstatSync(file).size === bytes) return file;
    closeSync(file);
    return undefined;
  } catch (error) {
    return ignoreMissing(error);
  }
}
