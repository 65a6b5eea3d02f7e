import { createCipheriv, createDecipheriv } from 'node:crypto';
import { type Random, systemRandom } from '@cosi-ts/resource';
import type { Marshaler, RecordPlace } from '@cosi-ts/state-inmem';
import { corruptRecord } from './corrupt-record.js';
import { type KeyProvider, KeyRing } from './key-ring.js';
import { chain } from './maybe-async.js';
import { NoncePool, nonceBytes } from './nonce-pool.js';
import { placeBytes } from './place-bytes.js';

export interface EncryptionOptions {
  readonly keys: KeyProvider;
  /**
   * 2 binds each record to its place, so that records that were swapped are refused. 1 does not, and is what the Go
   * implementation reads and writes. Records of both are read. Default: 2.
   */
  readonly format?: 1 | 2 | undefined;
  /** Default: the system's. */
  readonly random?: Random | undefined;
}

const tagBytes = 16;
const cipher = 'aes-256-gcm';

/**
 * Encrypts the records of another marshaler with AES-256-GCM (NIST SP 800-38D). A record is the format's byte, a random
 * nonce of 12 bytes, the ciphertext and a tag of 16 bytes; in format 2 the place is additional data.
 *
 * Several keys can be known, for changing them: the newest writes, and `isCurrent` tells which records another one wrote.
 * Random nonces are safe for some 2^32 records a key.
 */
export function encrypted(inner: Marshaler, options: EncryptionOptions): Marshaler {
  const ring = new KeyRing(options.keys);
  const nonces = new NoncePool(options.random ?? systemRandom);
  const format = options.format ?? 2;
  if (format !== 1 && format !== 2) throw new RangeError(`the format must be 1 or 2, not ${format}`);

  const seal = (plain: Uint8Array, key: Uint8Array, place: RecordPlace): Uint8Array => {
    const nonce = nonces.take();
    const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
    if (format === 2) sealing.setAAD(placeBytes(place));
    const ciphertext = sealing.update(plain);
    sealing.final();
    const record = new Uint8Array(1 + nonceBytes + ciphertext.length + tagBytes);
    record[0] = format;
    record.set(nonce, 1);
    record.set(ciphertext, 1 + nonceBytes);
    record.set(sealing.getAuthTag(), record.length - tagBytes);
    return record;
  };

  /** The key that opens the record, by its place in the ring, and what is in it. */
  const open = (
    record: Uint8Array,
    keys: readonly Uint8Array[],
    place: RecordPlace,
  ): { readonly at: number; readonly plain: Uint8Array } => {
    checkForm(record, place);
    for (const [at, key] of keys.entries()) {
      const plain = unsealed(record, key, place);
      if (plain !== undefined) return { at, plain };
    }
    const known = keys.length === 1 ? 'the key' : `any of the ${keys.length} keys`;
    throw corruptRecord(place, `cannot be decrypted with ${known}: it was changed, moved, or written with another one`);
  };

  return {
    marshal: (resource, place) =>
      chain(inner.marshal(resource, place), (plain) =>
        chain(ring.keys(), (keys) => seal(plain, keys[0] as Uint8Array, place)),
      ),
    unmarshal: (record, place) => chain(ring.keys(), (keys) => inner.unmarshal(open(record, keys, place).plain, place)),
    isCurrent: (record, place) =>
      chain(ring.keys(), (keys) => {
        const { at, plain } = open(record, keys, place);
        return at === 0 && record[0] === format && (inner.isCurrent?.(plain, place) ?? true);
      }),
  };
}

function checkForm(record: Uint8Array, place: RecordPlace): void {
  const [format] = record;
  if (format !== 1 && format !== 2) {
    throw corruptRecord(
      place,
      format === undefined ? 'is empty' : `is in no known format of encryption: its first byte is ${format}`,
    );
  }
  if (record.length < 1 + nonceBytes + tagBytes) throw corruptRecord(place, 'is too short to be encrypted');
}

/** Undefined when the key is not the one, or the record or its place is not what it was. */
function unsealed(record: Uint8Array, key: Uint8Array, place: RecordPlace): Uint8Array | undefined {
  const nonce = record.subarray(1, 1 + nonceBytes);
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  if (record[0] === 2) opening.setAAD(placeBytes(place));
  opening.setAuthTag(record.subarray(record.length - tagBytes));
  const plain = opening.update(record.subarray(1 + nonceBytes, record.length - tagBytes));
  try {
    opening.final();
    return plain;
  } catch {
    // All that the host tells is that the tag does not match.
    return undefined;
  }
}
