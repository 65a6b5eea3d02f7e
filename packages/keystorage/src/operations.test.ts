import { createHmac } from 'node:crypto';
import { type Clock, isCosiError, systemClock, Timestamp } from '@cosi-ts/resource';
import { enums, generateKey, readMessage } from 'openpgp';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeKeySlots } from './key-slots.js';
import { type BlobStore, KeyStorage } from './key-storage.js';
import { addSlot, deleteSlot, getMasterKey, initialize, slotIds } from './operations.js';

interface Pair {
  readonly publicKey: string;
  readonly privateKey: string;
}

async function pair(options: { date?: Date; keyExpirationTime?: number; passphrase?: string } = {}): Promise<Pair> {
  return generateKey({ userIDs: [{ name: 'test' }], type: 'curve25519', format: 'armored', ...options });
}

/** A clock that shows another time. */
function clockAt(date: Date): Clock {
  return { ...systemClock, now: () => Timestamp.fromDate(date) };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => (isCosiError(error) ? error.code : error),
  );

let ann: Pair;
let bob: Pair;
beforeAll(async () => {
  [ann, bob] = await Promise.all([pair(), pair()]);
});

describe('key storages', () => {
  it('K1: one master key opens through every slot, and the HMAC covers the ciphertexts in the order of slot ids', async () => {
    let blob = await initialize(undefined, { slot: 'é', publicKey: ann.publicKey });
    const using = { slot: 'é', privateKey: ann.privateKey };
    blob = await addSlot(blob, { slot: 'B', publicKey: bob.publicKey }, using);
    blob = await addSlot(blob, { slot: '__proto__', publicKey: bob.publicKey }, using);
    const key = await getMasterKey(blob, using);
    expect(key).toHaveLength(32);
    for (const slot of ['B', '__proto__']) {
      expect(await getMasterKey(blob, { slot, privateKey: bob.privateKey })).toEqual(key);
    }
    expect(slotIds(blob)).toEqual(['B', '__proto__', 'é']);
    const { slots, hmac } = decodeKeySlots(blob);
    const expected = createHmac('sha256', key);
    for (const slot of slots.values()) expected.update(slot.encryptedKey);
    expect(Buffer.from(hmac).toString('hex')).toBe(expected.digest('hex'));
  });

  it('K1: the messages are of the forms that older programs read, whatever the key prefers', async () => {
    const modern = await generateKey({
      userIDs: [{ name: 'modern' }],
      type: 'curve25519',
      format: 'armored',
      config: { aeadProtect: true },
    });
    const blob = await initialize(undefined, { slot: 'a', publicKey: modern.publicKey });
    const armoredMessage = new TextDecoder().decode(decodeKeySlots(blob).slots.get('a')?.encryptedKey);
    const { packets } = await readMessage({ armoredMessage });
    const versions = [...packets].map((packet) => {
      const known = packet as unknown as { constructor: { tag: number }; version: number };
      return [known.constructor.tag, known.version];
    });
    expect(versions).toEqual([
      [enums.packet.publicKeyEncryptedSessionKey, 3],
      [enums.packet.symEncryptedIntegrityProtectedData, 1],
    ]);
  });

  it('K2: a new storage has a master key of its own unless one is given', async () => {
    const masterKey = new Uint8Array(32).fill(7);
    const given = await initialize(undefined, { slot: 'a', publicKey: ann.publicKey, masterKey });
    expect(await getMasterKey(given, { slot: 'a', privateKey: ann.privateKey })).toEqual(new Uint8Array(32).fill(7));
    expect(masterKey).toEqual(new Uint8Array(32).fill(7));
    const [one, two] = await Promise.all(
      [1, 2].map(async () => {
        const blob = await initialize(undefined, { slot: 'a', publicKey: ann.publicKey });
        return getMasterKey(blob, { slot: 'a', privateKey: ann.privateKey });
      }),
    );
    expect(one).not.toEqual(two);
  });

  it('K3: every byte of the blob that is changed is noticed, or harmless', async () => {
    const first = await initialize(undefined, { slot: 'a', publicKey: ann.publicKey });
    const blob = await addSlot(
      first,
      { slot: 'b', publicKey: bob.publicKey },
      { slot: 'a', privateKey: ann.privateKey },
    );
    const key = await getMasterKey(blob, { slot: 'a', privateKey: ann.privateKey });
    for (let at = 0; at < blob.length; at += 7) {
      const changed = blob.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      const opened = await getMasterKey(changed, { slot: 'a', privateKey: ann.privateKey }).catch(
        (error: unknown) => error,
      );
      if (isCosiError(opened)) continue;
      expect(opened).toEqual(key);
    }
  });

  it('K4: a locked private key opens with its passphrase, and neither shows in errors', async () => {
    const locked = await pair({ passphrase: 'open sesame' });
    const blob = await initialize(undefined, { slot: 'a', publicKey: locked.privateKey });
    const slot = { slot: 'a', privateKey: locked.privateKey };
    expect(await getMasterKey(blob, { ...slot, passphrase: 'open sesame' })).toHaveLength(32);
    const secret = locked.privateKey.split('\n').find((line) => line.length > 40) ?? '';
    const failures = [
      getMasterKey(blob, slot),
      getMasterKey(blob, { ...slot, passphrase: 'hello dear' }),
      getMasterKey(blob, { slot: 'a', privateKey: `x${locked.privateKey}`.slice(0, 300) }),
      addSlot(blob, { slot: 'b', publicKey: locked.privateKey.slice(0, 300) }, { ...slot, passphrase: 'open sesame' }),
    ];
    for (const failure of failures) {
      const error = await failure.catch((reason: unknown) => reason);
      expect(isCosiError(error)).toBe(true);
      const shown = `${(error as Error).message} ${(error as Error).stack} ${String((error as Error).cause)}`;
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain('hello dear');
    }
  });

  it('K5: each fault of a new key has its code, and a failed add leaves the bytes as they were', async () => {
    const blob = await initialize(undefined, { slot: 'a', publicKey: ann.publicKey });
    const before = blob.slice();
    const using = { slot: 'a', privateKey: ann.privateKey };
    const brief = await pair({ date: new Date('2020-01-01'), keyExpirationTime: 3600 });
    const future = await pair({ date: new Date(Date.now() + 3_600_000) });
    const add = (publicKey: string) => codeOf(addSlot(blob, { slot: 'b', publicKey }, using));
    expect(await add('no key')).toBe('keystorage/key-malformed');
    expect(await add(brief.publicKey)).toBe('keystorage/key-expired');
    expect(await add(future.publicKey)).toBe('keystorage/key-not-yet-valid');
    expect(blob).toEqual(before);
  });

  it('K5: a slot whose key has expired since still opens', async () => {
    const brief = await pair({ date: new Date('2020-01-01T00:00:00Z'), keyExpirationTime: 3600 });
    const blob = await initialize(
      undefined,
      { slot: 'a', publicKey: brief.publicKey },
      { clock: clockAt(new Date('2020-01-01T00:30:00Z')) },
    );
    expect(await getMasterKey(blob, { slot: 'a', privateKey: brief.privateKey })).toHaveLength(32);
  });

  it('K5: a key from a clock that is a little ahead is accepted, from one far ahead it is not', async () => {
    const now = new Date('2024-05-01T12:00:00Z');
    const ahead = async (ms: number) => {
      const { publicKey } = await pair({ date: new Date(now.getTime() + ms) });
      return codeOf(initialize(undefined, { slot: 'a', publicKey }, { clock: clockAt(now) }));
    };
    expect(await ahead(4 * 60_000)).toBe('ok');
    expect(await ahead(6 * 60_000)).toBe('keystorage/key-not-yet-valid');
  });
});

describe('kept key storages', () => {
  /** A store with conditional writes, which lets every reader read before anyone writes. */
  function memoryStore(): BlobStore<number> & { refused: number } {
    let stored: { blob: Uint8Array; version: number } | undefined;
    const store = {
      refused: 0,
      read: async () => stored,
      write: async (blob: Uint8Array, expected: number | undefined) => {
        if (stored?.version !== expected) {
          store.refused++;
          return false;
        }
        stored = { blob, version: (expected ?? 0) + 1 };
        return true;
      },
    };
    return store;
  }

  it('K6: of two administrators who add slots at once, none loses', async () => {
    const store = memoryStore();
    const storage = new KeyStorage(store);
    expect(await storage.isInitialized()).toBe(false);
    await storage.initialize({ slot: 'a', publicKey: ann.publicKey });
    const using = { slot: 'a', privateKey: ann.privateKey };
    await Promise.all(
      ['b', 'c', 'd'].map((slot) => new KeyStorage(store).addSlot({ slot, publicKey: bob.publicKey }, using)),
    );
    expect(store.refused).toBeGreaterThan(0);
    expect(await storage.slotIds()).toEqual(['a', 'b', 'c', 'd']);
    const key = await storage.getMasterKey(using);
    expect(await storage.getMasterKey({ slot: 'd', privateKey: bob.privateKey })).toEqual(key);
    await storage.deleteSlot({ slot: 'c', privateKey: bob.privateKey });
    expect(await storage.slotIds()).toEqual(['a', 'b', 'd']);
  });

  it('K6: of two who initialise at once, one is told', async () => {
    const store = memoryStore();
    const outcomes = await Promise.all(
      [1, 2].map(() => codeOf(new KeyStorage(store).initialize({ slot: 'a', publicKey: ann.publicKey }))),
    );
    expect(outcomes.sort()).toEqual(['keystorage/already-initialized', 'ok']);
  });

  it("K6: a write that fails is the caller's, and nothing is taken for done", async () => {
    const store = { ...memoryStore(), write: () => Promise.reject(new Error('disk full')) };
    const storage = new KeyStorage(store);
    await expect(storage.initialize({ slot: 'a', publicKey: ann.publicKey })).rejects.toThrow('disk full');
    expect(await storage.isInitialized()).toBe(false);
  });

  it('K2: deleting needs the key of the slot itself', async () => {
    const blob = await addSlot(
      await initialize(undefined, { slot: 'a', publicKey: ann.publicKey }),
      { slot: 'b', publicKey: bob.publicKey },
      { slot: 'a', privateKey: ann.privateKey },
    );
    expect(await codeOf(deleteSlot(blob, { slot: 'b', privateKey: ann.privateKey }))).toBe(
      'keystorage/decryption-failure',
    );
    expect(slotIds(await deleteSlot(blob, { slot: 'b', privateKey: bob.privateKey }))).toEqual(['a']);
  });
});
