import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../files/missing-file.js';

/** The files of a data folder. */
export class DataFolder {
  constructor(readonly path: string) {}

  /** The store's own folder: nothing else may be in it. */
  get store(): string {
    return join(this.path, 'state');
  }

  /** The key storage. It is there exactly when the store is encrypted. */
  get keys(): string {
    return join(this.path, 'keys');
  }

  /** The machines of the simulated hypervisor, unless they are elsewhere. */
  get machines(): string {
    return join(this.path, 'machines.json');
  }

  /** Makes the folder when it is missing, for its owner only. */
  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
  }

  /** What there is already. Neither: the folder is new to us. */
  async contents(): Promise<{ readonly store: boolean; readonly keys: boolean }> {
    const [names, stored] = await Promise.all(
      [this.path, this.store].map((path) => readdir(path).catch(undefinedIfMissing)),
    );
    return { store: (stored ?? []).length > 0, keys: (names ?? []).includes('keys') };
  }
}
