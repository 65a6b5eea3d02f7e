import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InUseError } from '@cosi-ts/resource';
import { createFile } from './durable-file.js';
import { undefinedIfMissing } from './missing-file.js';

/** The locks of this process: a file may name its id from an earlier life of that id. */
const held = new Set<string>();

/**
 * Takes a lock that only one process can hold: a file with its process id. A lock whose process is gone is taken over.
 * Rejects with `in-use`. Gives back what releases the lock.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const path = resolve(file);
  for (let attempt = 0; ; attempt++) {
    if (held.has(path)) throw new InUseError(`${path} is held by this process already`);
    held.add(path);
    let taken = false;
    try {
      taken = await createFile(path, `${process.pid}\n`);
    } finally {
      if (!taken) held.delete(path);
    }
    if (taken) {
      return async () => {
        if (held.delete(path)) await rm(path, { force: true });
      };
    }
    const holder = await holderOf(path);
    // When two processes take over a lock at once, one of them finds the other's the next time.
    if (holder !== undefined || attempt === 2) {
      const who = holder === undefined ? 'another process' : `process ${holder}`;
      throw new InUseError(`${path} is held by ${who}: stop that, or remove the file if it is no such program`);
    }
    await rm(path, { force: true });
  }
}

/** The process that holds the lock, or undefined when it is gone. */
async function holderOf(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(undefinedIfMissing);
  const pid = Number.parseInt(text ?? '', 10);
  if (!(pid > 0) || pid === process.pid) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    // It exists and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined;
  }
}
