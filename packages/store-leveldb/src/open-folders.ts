import { InUseError } from '@cosi-ts/resource';

/** Shared by every copy of this package in a process. */
const registry: unique symbol = Symbol.for('@cosi-ts/store-leveldb/open-folders') as never;

/**
 * Notes that this process has a folder open. LevelDB knows that too, but finding it out, it gives up the lock that keeps
 * other processes away.
 *
 * @param path the real path
 * @returns what takes the note back
 * @throws `in-use` when it was noted before
 */
export function claimFolder(path: string): () => void {
  const host = globalThis as { [registry]?: Set<string> };
  host[registry] ??= new Set();
  const folders = host[registry];
  if (folders.has(path))
    throw new InUseError(`the store in ${JSON.stringify(path)} is in use already, by this process`);
  folders.add(path);
  return () => folders.delete(path);
}
