import { readFile, stat } from 'node:fs/promises';
import type { Logger } from '@cosi-ts/runtime';
import { createFile } from '../files/durable-file.js';
import { undefinedIfMissing } from '../files/missing-file.js';
import { StartError } from '../start-error.js';

/** The text of a key file; undefined when there is no such file. */
export async function readKeyFile(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8')
    .catch(undefinedIfMissing)
    .catch((cause: Error) => {
      throw new StartError(`the key file ${path} cannot be read: ${cause.message}`, { cause });
    });
}

/**
 * Makes a private key and gives its text, or the text of the file that somebody else has made meanwhile.
 *
 * @param app whose key it is, for people who look at it
 * @param passphrase locks it; undefined: the file alone opens the data
 */
export async function makeKeyFile(
  path: string,
  app: string,
  passphrase: string | undefined,
  logger: Logger,
): Promise<string> {
  // It takes its time to load, and only who makes a key needs it.
  const { generateKey } = await import('openpgp');
  const { privateKey } = await generateKey({
    type: 'ecc',
    userIDs: [{ name: app }],
    format: 'armored',
    ...(passphrase === undefined ? {} : { passphrase }),
  });
  const isNew = await createFile(path, privateKey).catch((cause: Error) => {
    throw new StartError(`the key file ${path} cannot be made: ${cause.message}`, { cause });
  });
  if (!isNew) return (await readKeyFile(path)) as string;
  const locked = passphrase === undefined ? '' : ' and its passphrase';
  logger.warn({ file: path }, `key made: keep a copy of it${locked} elsewhere. Without it all data is lost`);
  return privateKey;
}

/** Warns of a private key that others can read. */
export async function warnOfReaders(path: string, logger: Logger): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0)
    logger.warn({ file: path }, 'other users can read the private key: chmod 600 keeps them out');
}
