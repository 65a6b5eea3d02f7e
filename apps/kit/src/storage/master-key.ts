import type { Logger } from '@cosi-ts/runtime';
import { StartError } from '../start-error.js';
import type { DataFolder } from './data-folder.js';
import type { KeyOptions } from './data-options.js';
import { KeyBlobFile } from './key-blob.js';
import { keyError } from './key-error.js';
import { makeKeyFile, readKeyFile, warnOfReaders } from './key-file.js';
import { readPassphrase } from './passphrase.js';

/**
 * The key that encrypts the records of a data folder; undefined when they are not encrypted. In a new data folder, a key
 * is chosen and put into a slot, and where there is no private key for that slot yet, it is made too.
 *
 * @param options what opens it; undefined: the caller takes the data for plain
 * @throws {@link StartError} when it is not that, or the key does not open it
 */
export async function openMasterKey(
  folder: DataFolder,
  options: KeyOptions | undefined,
  logger: Logger,
): Promise<Uint8Array | undefined> {
  const { store, keys } = await folder.contents();
  if (options === undefined) {
    if (!keys) return undefined;
    throw new StartError(`the data in ${folder.path} is encrypted: name the private key that opens it with --encrypt`);
  }
  if (store && !keys) {
    throw new StartError(
      `the data in ${folder.path} is not encrypted, and stays so: leave out --encrypt, or name a new folder with --data. ` +
        `If it is encrypted, its file ${folder.keys} is missing: bring that back from a backup`,
    );
  }
  const passphrase = await readPassphrase(options.passphrase);
  const privateKey = (await readKeyFile(options.file)) ?? (await makeKey(folder, options, keys, passphrase, logger));
  await warnOfReaders(options.file, logger);
  try {
    return await openSlot(folder, { slot: options.slot, privateKey, passphrase }, logger);
  } catch (error) {
    throw keyError(error, folder);
  }
}

function makeKey(
  { path, profile }: DataFolder,
  { file }: KeyOptions,
  hasKeys: boolean,
  passphrase: string | undefined,
  logger: Logger,
): Promise<string> {
  if (!hasKeys) return makeKeyFile(file, profile.app, passphrase, logger);
  throw new StartError(
    `the key file ${file} does not exist, and the data in ${path} needs the key that it was made with`,
  );
}

async function openSlot(folder: DataFolder, open: OpenKey, logger: Logger): Promise<Uint8Array> {
  // Loaded for those who have keys: OpenPGP takes its time.
  const { getMasterKey, initialize } = await import('@cosi-ts/keystorage');
  const file = new KeyBlobFile(folder.keys);
  const stored = await file.read();
  if (stored !== undefined) return getMasterKey(stored.blob, open);
  const blob = await initialize(undefined, { slot: open.slot, publicKey: open.privateKey });
  // Nothing is kept before it is sure that the key opens it.
  const masterKey = await getMasterKey(blob, open);
  if (!(await file.write(blob, undefined))) return openSlot(folder, open, logger);
  logger.info({ file: folder.keys, slot: open.slot }, 'key storage made');
  return masterKey;
}

interface OpenKey {
  readonly slot: string;
  readonly privateKey: string;
  readonly passphrase: string | undefined;
}
