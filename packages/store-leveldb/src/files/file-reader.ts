import { closeSync, fstatSync, openSync, read } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ignoreMissing } from './folder-files.js';

/** How many files are being read while another one is worked on. */
const readAhead = 2;

/** Buffers have a multiple of this: files of about one size fit into one. */
const bufferStep = 1024 * 1024;

/**
 * The contents of files, one after the other; undefined where there is none. They are good until the next one is asked for:
 * the memory is used again, because getting new memory for each takes longer than reading.
 */
export async function* filesInTurn<T extends { readonly name: string }>(
  folder: string,
  items: readonly T[],
): AsyncGenerator<{ readonly item: T; readonly contents: Buffer | undefined }> {
  const buffers: Buffer[] = Array.from({ length: readAhead + 1 }, () => Buffer.alloc(0));
  const readings: Promise<Buffer | undefined>[] = [];
  const begin = (at: number) => {
    const next = items[at];
    if (next === undefined) return;
    const which = at % buffers.length;
    const reading = readFile(join(folder, next.name), (size) => {
      const buffer = buffers[which] as Buffer;
      if (buffer.length >= size) return buffer;
      buffers[which] = Buffer.allocUnsafe(Math.ceil(size / bufferStep) * bufferStep);
      return buffers[which];
    });
    // That it failed is seen when it is its turn.
    reading.catch(() => undefined);
    readings.push(reading);
  };
  try {
    for (let at = 0; at < readAhead; at++) begin(at);
    for (const [at, item] of items.entries()) {
      begin(at + readAhead);
      yield { item, contents: await readings.shift() };
    }
  } finally {
    await Promise.allSettled(readings);
  }
}

/**
 * The file is being read when this returns, also while the caller keeps the thread busy: steps that each had to wait for it
 * would wait longer than they take.
 */
async function readFile(path: string, bufferOf: (size: number) => Buffer): Promise<Buffer | undefined> {
  const file = openedFile(path);
  if (file === undefined) return undefined;
  try {
    const { size } = fstatSync(file);
    const buffer = bufferOf(size);
    let filled = 0;
    for (let bytes = size; bytes > 0 && filled < size; filled += bytes) {
      ({ bytesRead: bytes } = await readInto(file, buffer, filled, size - filled, filled));
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(file);
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
