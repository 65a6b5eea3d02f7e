import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { undefinedIfMissing } from '../missing-file.js';
import { removeTree } from '../remove-tree.js';

/** What a step should keep cannot be kept. */
export class ArtifactError extends Error {
  override readonly name = 'ArtifactError';
}

export interface KeepArtifacts {
  /** The folder of the process. */
  readonly from: string;
  /** Relative to it, and inside of it. */
  readonly paths: readonly string[];
  /** The folder that holds them afterwards, by the same paths; all of them or none. One that is there is replaced. */
  readonly to: string;
}

/**
 * Copies files and folders, with their modes. Links stay links; one that leads out of the folder of the process is
 * refused, and so is everything that is no file, folder or link. Rejects with an {@link ArtifactError}.
 */
export async function keepArtifacts({ from, paths, to }: KeepArtifacts): Promise<void> {
  const root = await realpath(from);
  const draft = join(dirname(to), `.${to.slice(dirname(to).length + 1)}.draft`);
  await removeTree(draft);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    for (const path of paths) {
      const source = await realpath(join(root, path)).catch(undefinedIfMissing);
      if (source === undefined) throw new ArtifactError(`the artifact ${path} is not there: nothing has made it`);
      if (!isInside(root, source)) throw new ArtifactError(`the artifact ${path} leads out of the working folder`);
      const target = join(draft, relative(root, join(root, path)));
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await copy(root, source, target);
    }
    await removeTree(to);
    await rename(draft, to);
  } catch (error) {
    await removeTree(draft);
    throw error;
  }
}

async function copy(root: string, source: string, target: string): Promise<void> {
  const found = await lstat(source);
  if (found.isDirectory()) {
    await mkdir(target, { recursive: true, mode: (found.mode & 0o777) | 0o700 });
    for (const bytes of await readdir(source, { encoding: 'buffer' })) {
      const name = textOf(bytes, `of a file in ${relative(root, source)}`);
      await copy(root, join(source, name), join(target, name));
    }
  } else if (found.isFile()) {
    // Copies nothing where the file system can share the blocks.
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  } else if (found.isSymbolicLink()) {
    const name = relative(root, source);
    const link = textOf(await readlink(source, { encoding: 'buffer' }), `that the link ${name} leads to`);
    // Where it really leads: other links on the way may lead elsewhere than the names say.
    const end = await realpath(source).catch(undefinedIfMissing);
    if (end === undefined) throw new ArtifactError(`the link ${name} leads to ${link}, which is not there`);
    if (isAbsolute(link) || !isInside(root, end)) {
      throw new ArtifactError(`the link ${name} leads to ${link}, out of the working folder`);
    }
    await rm(target, { force: true });
    await symlink(link, target);
  } else {
    throw new ArtifactError(`${relative(root, source)} is neither a file nor a folder nor a link`);
  }
}

/** A name is any bytes; those that are no text would be another name for all that reads them. */
function textOf(bytes: Buffer, what: string): string {
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes)) return text;
  const shown = bytes
    .toString('latin1')
    .replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  throw new ArtifactError(
    `the name ${what} is not UTF-8: ${shown}. Give it another one, or pack the folder into one file`,
  );
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root + sep);
}
