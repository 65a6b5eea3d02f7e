import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { CorruptError, compareUtf8 } from '@cosi-ts/resource';
import { KeyStorageError } from './errors.js';

const { Algorithm, KeySlotSchema, StorageSchema, StorageVersion } = wire;

/** The content of a key storage blob. Immutable. */
export interface KeySlots {
  /** By slot id, in the byte order of UTF-8. */
  readonly slots: ReadonlyMap<string, KeySlot>;
  readonly hmac: Uint8Array;
}

export interface KeySlot {
  readonly algorithm: number;
  /** An armored OpenPGP message, as the bytes of its text. */
  readonly encryptedKey: Uint8Array;
}

/** The one algorithm there is. Its name promises more than the messages hold: see the README. */
export const slotAlgorithm: number = Algorithm.PGP_AES_GCM_256;

/** Reads a blob. Throws `corrupt`, or `keystorage/version-mismatch` for a version that is not known here. */
export function decodeKeySlots(blob: Uint8Array): KeySlots {
  const storage = parse(blob);
  if (storage.storageVersion !== StorageVersion.STORAGE_VERSION_1) {
    throw new KeyStorageError(
      'keystorage/version-mismatch',
      `the key storage has version ${storage.storageVersion}, only version 1 is known`,
    );
  }
  const slots = Object.entries(storage.keySlots).map(([id, { algorithm, encryptedKey }]): [string, KeySlot] => [
    id,
    { algorithm, encryptedKey },
  ]);
  return { slots: ordered(slots), hmac: storage.keysHmacHash };
}

function parse(blob: Uint8Array) {
  try {
    return fromBinary(StorageSchema, blob);
  } catch (cause) {
    throw new CorruptError('the key storage is no protobuf message', { cause });
  }
}

export function encodeKeySlots({ slots, hmac }: KeySlots): Uint8Array {
  const keySlots: Record<string, ReturnType<typeof slotMessage>> = {};
  // Assigning to `__proto__` would set the prototype.
  for (const [id, slot] of slots) Object.defineProperty(keySlots, id, { value: slotMessage(slot), enumerable: true });
  return toBinary(
    StorageSchema,
    create(StorageSchema, { storageVersion: StorageVersion.STORAGE_VERSION_1, keySlots, keysHmacHash: hmac }),
  );
}

function slotMessage({ algorithm, encryptedKey }: KeySlot) {
  return create(KeySlotSchema, { algorithm, encryptedKey });
}

/** The slots with one more, or with one less when `slot` is undefined. */
export function withSlot(
  slots: ReadonlyMap<string, KeySlot>,
  id: string,
  slot: KeySlot | undefined,
): ReadonlyMap<string, KeySlot> {
  const others = [...slots].filter(([other]) => other !== id);
  return ordered(slot === undefined ? others : [...others, [id, slot]]);
}

function ordered(slots: readonly [string, KeySlot][]): ReadonlyMap<string, KeySlot> {
  return new Map([...slots].sort(([a], [b]) => compareUtf8(a, b)));
}
