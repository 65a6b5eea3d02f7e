import { isCorrupt, isCosiError } from '@cosi-ts/resource';
import { StartError } from '../start-error.js';
import type { DataFolder } from './data-folder.js';

const hints: Readonly<Record<string, string>> = {
  'keystorage/decryption-failure':
    'The private key is what --encrypt names, its slot --key-slot, its passphrase --passphrase-file or the variable VARIABLE',
  'keystorage/slot-not-found': 'Name another one with --key-slot; the command "keys list" lists them',
  'keystorage/slot-exists': 'Choose another name with --slot; the command "keys list" lists those that are taken',
  'keystorage/last-slot': 'Add another slot first',
  'keystorage/hmac-mismatch': 'Somebody without the key has changed the slots: bring the file back from a backup',
  'keystorage/version-mismatch': 'A newer version of this program has written it: use that',
  'keystorage/algorithm-mismatch': 'A newer version of this program has written it: use that',
  'keystorage/key-malformed': 'An armored key begins with "-----BEGIN PGP"',
  'keystorage/key-revoked': 'Get another key from its holder',
  'keystorage/key-expired': 'Get another key from its holder',
  'keystorage/key-cannot-encrypt': 'Get another key from its holder',
  'keystorage/key-not-yet-valid': 'Set the clocks right',
};

/** What to say when the keys of a data folder cannot be used. Any other error is given back as it is. */
export function keyError(error: unknown, { keys, profile }: DataFolder): unknown {
  if (!isCosiError(error)) return error;
  const hint = hints[error.code]?.replace('VARIABLE', profile.passphraseVariable);
  if (hint !== undefined) return new StartError(`the keys in ${keys}: ${error.message}. ${hint}`, { cause: error });
  if (!isCorrupt(error)) return error;
  const message = `the keys in ${keys} are damaged: ${error.message}. Bring the file back from a backup`;
  return new StartError(message, { cause: error });
}
