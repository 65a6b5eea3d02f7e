import type { KeyStorage, OpenSlot } from '@cosi-ts/keystorage';
import { StartError } from '../start-error.js';
import { dataError } from '../storage/data-error.js';
import type { DataFolder } from '../storage/data-folder.js';
import type { KeyOptions } from '../storage/data-options.js';
import { KeyBlobFile } from '../storage/key-blob.js';
import { keyError } from '../storage/key-error.js';
import { readKeyFile } from '../storage/key-file.js';
import { readPassphrase } from '../storage/passphrase.js';
import type { Outcome } from './run-command.js';

// The app may run meanwhile: it has read its key, and who holds it does not change it.

/** Names the slots. */
export async function listKeySlots(folder: DataFolder): Promise<Outcome> {
  return withKeys(folder, async (keys) => ({ lines: await keys.slotIds(), ok: true }));
}

/** Makes a slot for another key. */
export async function addKeySlot(
  folder: DataFolder,
  { slot, publicKeyFile, key }: { readonly slot: string; readonly publicKeyFile: string; readonly key: KeyOptions },
): Promise<Outcome> {
  return withKeys(folder, async (keys) => {
    const publicKey = await keyText(publicKeyFile);
    await keys.addSlot({ slot, publicKey }, await openSlotOf(key));
    return { lines: [`the private key of ${publicKeyFile} opens the data now, with --key-slot ${slot}`], ok: true };
  });
}

/** Takes the slot of a key away. */
export async function deleteKeySlot(folder: DataFolder, key: KeyOptions): Promise<Outcome> {
  return withKeys(folder, async (keys) => {
    await keys.deleteSlot(await openSlotOf(key));
    return { lines: [`slot ${key.slot} is gone: its private key does not open the data any more`], ok: true };
  });
}

async function withKeys(folder: DataFolder, work: (keys: KeyStorage) => Promise<Outcome>): Promise<Outcome> {
  try {
    if (!(await folder.contents()).keys) {
      throw new StartError(`the data in ${folder.path} is not encrypted: there are no keys`);
    }
    // Loaded for those who have keys: OpenPGP takes its time.
    const { KeyStorage } = await import('@cosi-ts/keystorage');
    return await work(new KeyStorage(new KeyBlobFile(folder.keys)));
  } catch (error) {
    throw dataError(keyError(error, folder), folder);
  }
}

async function openSlotOf({ slot, file, passphrase }: KeyOptions): Promise<OpenSlot> {
  return { slot, privateKey: await keyText(file), passphrase: await readPassphrase(passphrase) };
}

async function keyText(file: string): Promise<string> {
  const text = await readKeyFile(file);
  if (text === undefined) throw new StartError(`the key file ${file} does not exist`);
  return text;
}
