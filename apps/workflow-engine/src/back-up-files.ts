import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError, undefinedIfMissing } from '@cosi-ts/app-kit';

/** What is beside the resources, and belongs to whoever reads them. What attempts work with is not worth keeping. */
const folders = ['logs', 'artifacts'] as const;

/**
 * Copies logs and artifacts from one data folder to another. Links stay links. Rejects with a `StartError` when something
 * cannot be read or written.
 */
export async function backUpFiles(from: string, into: string): Promise<void> {
  for (const name of folders) {
    const options = { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false };
    try {
      await cp(join(from, name), join(into, name), options).catch(undefinedIfMissing);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new StartError(`the resources are backed up to ${into}, but not all of its ${name}: ${why}`, {
        cause: error,
      });
    }
  }
}
