import { KeyStorageError } from './errors.js';
import type { KeySlot, KeySlots } from './key-slots.js';

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** HMAC-SHA-256, keyed by the master key, over the encrypted keys in the order of slot ids, without separators. */
export async function hmacOf(slots: ReadonlyMap<string, KeySlot>, masterKey: Uint8Array): Promise<Uint8Array> {
  const key = await hmacKey(masterKey, 'sign');
  return new Uint8Array(await crypto.subtle.sign(algorithm, key, ciphertexts(slots)));
}

/** Throws `keystorage/hmac-mismatch` unless the slots are those that the HMAC was made for. */
export async function checkHmac({ slots, hmac }: KeySlots, masterKey: Uint8Array): Promise<void> {
  const key = await hmacKey(masterKey, 'verify');
  // The host compares in constant time.
  if (await crypto.subtle.verify(algorithm, key, new Uint8Array(hmac), ciphertexts(slots))) return;
  throw new KeyStorageError(
    'keystorage/hmac-mismatch',
    'the HMAC of the key storage does not match: a slot was changed, added or removed by someone without the master key',
  );
}

function hmacKey(masterKey: Uint8Array, use: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new Uint8Array(masterKey), algorithm, false, [use]);
}

function ciphertexts(slots: ReadonlyMap<string, KeySlot>): Uint8Array<ArrayBuffer> {
  const parts = [...slots.values()].map(({ encryptedKey }) => encryptedKey);
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
