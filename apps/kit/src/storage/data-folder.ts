import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureFolder } from '../files/ensure-folder.js';
import { undefinedIfMissing } from '../files/missing-file.js';
import type { DataProfile } from './data-profile.js';

/** The files of a data folder. */
export class DataFolder {
  constructor(
    readonly profile: DataProfile,
    readonly path: string,
  ) {}

  /** The store's own folder: nothing else may be in it. */
  get store(): string {
    return this.file('state');
  }

  /** The key storage. It is there exactly when the store is encrypted. */
  get keys(): string {
    return this.file('keys');
  }

  /** The path of a file in it. */
  file(name: string): string {
    return join(this.path, name);
  }

  /** Makes the folder when it is missing, for its owner only. */
  async make(): Promise<void> {
    await ensureFolder(this.path);
  }

  /** What there is already. Neither: the folder is new to us. */
  async contents(): Promise<{ readonly store: boolean; readonly keys: boolean }> {
    const [names, stored] = await Promise.all(
      [this.path, this.store].map((path) => readdir(path).catch(undefinedIfMissing)),
    );
    return { store: (stored ?? []).length > 0, keys: (names ?? []).includes('keys') };
  }
}
