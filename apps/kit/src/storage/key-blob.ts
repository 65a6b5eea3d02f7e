import { readFile } from 'node:fs/promises';
import type { BlobStore, StoredBlob } from '@cosi-ts/keystorage';
import { isInUse } from '@cosi-ts/resource';
import { sleep, systemClock } from '@cosi-ts/state';
import { replaceFile } from '../files/durable-file.js';
import { lockFile } from '../files/file-lock.js';
import { undefinedIfMissing } from '../files/missing-file.js';

/** How long it is waited for others who are writing, who need milliseconds. */
const attempts = 100;
const attemptMs = 50;

/** Keeps the blob of a key storage in a file. Its version is its content. */
export class KeyBlobFile implements BlobStore<Uint8Array> {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<StoredBlob<Uint8Array> | undefined> {
    const blob = await readFile(this.#path).catch(undefinedIfMissing);
    return blob === undefined ? undefined : { blob, version: blob };
  }

  async write(blob: Uint8Array, expected: Uint8Array | undefined): Promise<boolean> {
    const unlock = await this.#lock();
    try {
      const stored = await this.read();
      const isExpected =
        stored === undefined || expected === undefined
          ? stored === expected
          : Buffer.compare(stored.version, expected) === 0;
      if (!isExpected) return false;
      await replaceFile(this.#path, blob);
      return true;
    } finally {
      await unlock();
    }
  }

  async #lock(): Promise<() => Promise<void>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await lockFile(`${this.#path}.lock`);
      } catch (error) {
        if (!isInUse(error) || attempt === attempts) throw error;
        await sleep(systemClock, attemptMs);
      }
    }
  }
}
