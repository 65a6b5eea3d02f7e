import type { Clock } from '@cosi-ts/resource';
import { type Key, type PublicKey, readKey } from 'openpgp';
import { KeyStorageError } from './errors.js';

/** How far a key may be dated in the future: clocks of different machines differ. */
export const clockToleranceMs = 5 * 60_000;

/** A key that a slot can be encrypted to now. */
export interface Recipient {
  readonly key: PublicKey;
  /** The time at which the key is valid: now, or a little later for a key from a clock that is ahead. */
  readonly date: Date;
}

/**
 * Reads an armored public or private key, locked or not, and checks that it can be encrypted to. Each fault has its
 * code: `keystorage/key-malformed`, `-revoked`, `-expired`, `-not-yet-valid`, `-cannot-encrypt`.
 */
export async function readRecipient(armoredKey: string, clock: Clock): Promise<Recipient> {
  const key = (await read(armoredKey)).toPublic();
  const now = clock.now().toDate();
  const later = new Date(now.getTime() + clockToleranceMs);
  if (await revoked(key, later)) throw fault('keystorage/key-revoked', key, 'has been revoked');
  for (const date of [now, later]) {
    if (await usable(key, date)) return { key, date };
  }
  if (key.getCreationTime() > later) {
    throw fault('keystorage/key-not-yet-valid', key, `is dated ${key.getCreationTime().toISOString()}, in the future`);
  }
  const expires = await key.getExpirationTime();
  if (expires instanceof Date && expires <= now) {
    throw fault('keystorage/key-expired', key, `expired on ${expires.toISOString()}`);
  }
  throw fault('keystorage/key-cannot-encrypt', key, 'has no part that can be encrypted to');
}

async function read(armoredKey: string): Promise<Key> {
  try {
    return await readKey({ armoredKey });
  } catch {
    // The library's error may quote the text, which may be a private key.
    throw new KeyStorageError('keystorage/key-malformed', 'the text is no armored OpenPGP key');
  }
}

async function revoked(key: PublicKey, date: Date): Promise<boolean> {
  return key.isRevoked(undefined, undefined, date);
}

async function usable(key: PublicKey, date: Date): Promise<boolean> {
  try {
    await key.getEncryptionKey(undefined, date);
    return true;
  } catch {
    // Why it is not usable is found out afterwards, in a form that has a code.
    return false;
  }
}

function fault(
  code:
    | 'keystorage/key-revoked'
    | 'keystorage/key-expired'
    | 'keystorage/key-not-yet-valid'
    | 'keystorage/key-cannot-encrypt',
  key: PublicKey,
  what: string,
): KeyStorageError {
  return new KeyStorageError(code, `the OpenPGP key ${key.getKeyID().toHex()} ${what}`);
}
