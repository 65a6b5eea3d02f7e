/** What is kept of an attempt cannot be read, and will not be another time: something has changed it. */
export class DamagedFolderError extends Error {
  override readonly name = 'DamagedFolderError';
}

/** Not those of a disk that is full or of a system that is short of something: these are over some time. */
const lasting = new Set(['EISDIR', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'EIO', 'ENXIO', 'ENOTEMPTY', 'EEXIST']);

/** Does something with a file of an attempt. Throws a {@link DamagedFolderError} for what would fail for ever. */
export function withFile<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || !lasting.has(code)) throw error;
    throw new DamagedFolderError(`${path}: ${message}`, { cause: error });
  }
}
