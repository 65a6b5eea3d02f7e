import { type Clock, InvalidArgumentError, type Random, systemClock, systemRandom } from '@cosi-ts/resource';
import { KeyStorageError } from './errors.js';
import { checkHmac, hmacOf } from './integrity.js';
import { decodeKeySlots, encodeKeySlots, type KeySlot, type KeySlots, withSlot } from './key-slots.js';
import { readRecipient } from './recipient.js';
import { decryptSlot, encryptSlot, type SlotKey } from './slot-message.js';

/** The length of a master key in bytes. */
export const masterKeyBytes = 32;

/** What the operations take from outside. */
export interface KeyStorageOptions {
  /** Tells whether keys are valid. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Default: the system's. */
  readonly random?: Random | undefined;
}

/** A slot, and the private key that opens it. */
export interface OpenSlot extends SlotKey {
  readonly slot: string;
}

/** A slot to be made. */
export interface NewSlot {
  readonly slot: string;
  /** An armored OpenPGP key. A private one, locked or not, serves too. */
  readonly publicKey: string;
}

/**
 * The blob of a new key storage with one slot. The master key is random unless one of 32 bytes is given.
 *
 * Each operation is a step from bytes to bytes: `undefined` stands for a storage that is not initialised yet. Keep the
 * result, and only then forget the bytes before.
 */
export async function initialize(
  blob: Uint8Array | undefined,
  slot: NewSlot & { readonly masterKey?: Uint8Array | undefined },
  options: KeyStorageOptions = {},
): Promise<Uint8Array> {
  if (blob !== undefined) {
    throw new KeyStorageError('keystorage/already-initialized', 'the key storage is initialised already');
  }
  checkNewSlot(slot);
  if (slot.masterKey !== undefined && slot.masterKey.length !== masterKeyBytes) {
    throw new InvalidArgumentError(`a master key has ${masterKeyBytes} bytes, not ${slot.masterKey.length}`);
  }
  const { clock, random } = resolve(options);
  const recipient = await readRecipient(slot.publicKey, clock);
  const masterKey = slot.masterKey?.slice() ?? random.bytes(masterKeyBytes);
  return wiped(masterKey, async () => {
    const encrypted = await encryptSlot(slot.slot, masterKey, recipient, random);
    return sealed(new Map([[slot.slot, encrypted]]), masterKey);
  });
}

/** The blob with one more slot, opened with the key of an existing one. */
export async function addSlot(
  blob: Uint8Array | undefined,
  slot: NewSlot,
  using: OpenSlot,
  options: KeyStorageOptions = {},
): Promise<Uint8Array> {
  const storage = initialized(blob);
  checkNewSlot(slot);
  if (storage.slots.has(slot.slot)) {
    throw new KeyStorageError('keystorage/slot-exists', `slot ${JSON.stringify(slot.slot)} exists already`);
  }
  const { clock, random } = resolve(options);
  const masterKey = await open(storage, using);
  return wiped(masterKey, async () => {
    const recipient = await readRecipient(slot.publicKey, clock);
    const encrypted = await encryptSlot(slot.slot, masterKey, recipient, random);
    return sealed(withSlot(storage.slots, slot.slot, encrypted), masterKey);
  });
}

/** The blob without a slot, opened with that slot's own key. The last slot stays. */
export async function deleteSlot(blob: Uint8Array | undefined, using: OpenSlot): Promise<Uint8Array> {
  const storage = initialized(blob);
  if (storage.slots.size === 1) {
    throw new KeyStorageError('keystorage/last-slot', 'the last slot cannot be deleted: the master key would be lost');
  }
  const masterKey = await open(storage, using);
  return wiped(masterKey, () => sealed(withSlot(storage.slots, using.slot, undefined), masterKey));
}

/** The master key. Wipe it (`fill(0)`) when it is no longer needed. */
export async function getMasterKey(blob: Uint8Array | undefined, using: OpenSlot): Promise<Uint8Array> {
  return open(initialized(blob), using);
}

/** The ids of the slots, in the byte order of UTF-8. They are not protected by the HMAC. */
export function slotIds(blob: Uint8Array | undefined): readonly string[] {
  return [...initialized(blob).slots.keys()];
}

function initialized(blob: Uint8Array | undefined): KeySlots {
  if (blob === undefined) {
    throw new KeyStorageError('keystorage/not-initialized', 'the key storage is not initialised');
  }
  return decodeKeySlots(blob);
}

async function open(storage: KeySlots, { slot: id, ...key }: OpenSlot): Promise<Uint8Array> {
  if (id === '') throw new InvalidArgumentError('a slot needs an id');
  const slot = storage.slots.get(id);
  if (slot === undefined) {
    throw new KeyStorageError('keystorage/slot-not-found', `there is no slot ${JSON.stringify(id)}`);
  }
  const masterKey = await decryptSlot(id, slot, key);
  try {
    await checkHmac(storage, masterKey);
  } catch (error) {
    masterKey.fill(0);
    throw error;
  }
  return masterKey;
}

async function sealed(slots: ReadonlyMap<string, KeySlot>, masterKey: Uint8Array): Promise<Uint8Array> {
  return encodeKeySlots({ slots, hmac: await hmacOf(slots, masterKey) });
}

async function wiped<T>(secret: Uint8Array, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    secret.fill(0);
  }
}

function checkNewSlot({ slot }: NewSlot): void {
  if (slot === '') throw new InvalidArgumentError('a slot needs an id');
  if (/\p{Surrogate}/u.test(slot)) throw new InvalidArgumentError('the id of a slot holds a lone surrogate');
}

function resolve(options: KeyStorageOptions): { readonly clock: Clock; readonly random: Random } {
  return { clock: options.clock ?? systemClock, random: options.random ?? systemRandom };
}
