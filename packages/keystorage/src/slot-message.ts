import type { Random } from '@cosi-ts/resource';
import {
  createMessage,
  decrypt,
  decryptKey,
  encrypt,
  enums,
  type PrivateKey,
  readMessage,
  readPrivateKey,
} from 'openpgp';
import { KeyStorageError } from './errors.js';
import { type KeySlot, slotAlgorithm } from './key-slots.js';
import type { Recipient } from './recipient.js';

/** An armored OpenPGP private key, and its passphrase when it is locked. */
export interface SlotKey {
  readonly privateKey: string;
  readonly passphrase?: string | undefined;
}

const ascii = new TextEncoder();
const text = new TextDecoder();

/**
 * Encrypts the master key. The message is a public-key-encrypted session key of version 3 and an integrity-protected
 * packet of version 1 (RFC 9580, 5.1.1 and 5.13.1) whatever the recipient's preferences, so that every reader
 * understands it: for that the session key is given here.
 */
export async function encryptSlot(
  id: string,
  masterKey: Uint8Array,
  recipient: Recipient,
  random: Random,
): Promise<KeySlot> {
  const sessionKey = random.bytes(32);
  try {
    const armored = await encrypt({
      message: await createMessage({ binary: new Uint8Array(masterKey), date: recipient.date }),
      encryptionKeys: recipient.key,
      sessionKey: { data: sessionKey, algorithm: 'aes256' },
      date: recipient.date,
      format: 'armored',
      config: { preferredCompressionAlgorithm: enums.compression.uncompressed, aeadProtect: false },
    });
    return { algorithm: slotAlgorithm, encryptedKey: ascii.encode(armored) };
  } catch (cause) {
    throw new KeyStorageError('keystorage/encryption-failure', `slot ${JSON.stringify(id)} cannot be encrypted`, cause);
  } finally {
    sessionKey.fill(0);
  }
}

/** Decrypts the master key of a slot. The caller wipes it. */
export async function decryptSlot(id: string, slot: KeySlot, key: SlotKey): Promise<Uint8Array> {
  if (slot.algorithm !== slotAlgorithm) {
    throw new KeyStorageError(
      'keystorage/algorithm-mismatch',
      `slot ${JSON.stringify(id)} has algorithm ${slot.algorithm}, only ${slotAlgorithm} is known`,
    );
  }
  const privateKey = await unlocked(id, key);
  try {
    const message = await readMessage({ armoredMessage: text.decode(slot.encryptedKey) });
    const { data } = await decrypt({
      message,
      decryptionKeys: privateKey,
      format: 'binary',
      // A slot stays open to a key that has expired since.
      date: privateKey.getCreationTime(),
    });
    return data as Uint8Array;
  } catch {
    // The library's errors say no more than this, and might one day quote what they were given.
    throw failure(id, 'the key does not open it, or its message is damaged');
  }
}

async function unlocked(id: string, { privateKey, passphrase }: SlotKey): Promise<PrivateKey> {
  const key = await readPrivateKey({ armoredKey: privateKey }).catch(() => {
    throw failure(id, 'the text is no armored OpenPGP private key');
  });
  if (key.isDecrypted()) return key;
  if (passphrase === undefined) throw failure(id, 'the private key is locked: its passphrase is needed');
  return decryptKey({ privateKey: key, passphrase }).catch(() => {
    throw failure(id, 'the passphrase does not unlock the private key');
  });
}

function failure(id: string, why: string): KeyStorageError {
  return new KeyStorageError('keystorage/decryption-failure', `slot ${JSON.stringify(id)} cannot be decrypted: ${why}`);
}
