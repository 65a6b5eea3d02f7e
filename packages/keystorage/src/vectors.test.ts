import { readFileSync } from 'node:fs';
import { isCosiError } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { decodeKeySlots } from './key-slots.js';
import { addSlot, deleteSlot, getMasterKey, initialize, slotIds } from './operations.js';

interface TestKey {
  readonly name: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly passphrase?: string;
  readonly lockedPrivateKey?: string;
}

interface Opening {
  readonly slot: string;
  readonly key: string;
  readonly outcome: string;
  readonly masterKey?: string;
}

interface Vectors {
  readonly keys: readonly TestKey[];
  readonly blobs: readonly {
    readonly name: string;
    readonly blob: string;
    readonly open: string;
    readonly slots?: readonly { readonly id: string; readonly algorithm: number; readonly ciphertextLength: number }[];
    readonly getMasterKey?: readonly Opening[];
  }[];
  readonly operations: readonly {
    readonly name: string;
    readonly call: 'initialize' | 'addSlot' | 'deleteSlot' | 'getMasterKey';
    readonly slots?: readonly string[];
    readonly masterKey?: string;
    readonly slot: string;
    readonly key: string;
    readonly with?: string;
    readonly withKey?: string;
    readonly outcome: string;
  }[];
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../../../tools/vectors/keystorage.json', import.meta.url), 'utf8'),
);
const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'));
const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const toHex = (data: Uint8Array) => Buffer.from(data).toString('hex');

function keyNamed(name: string): TestKey {
  const key = vectors.keys.find((each) => each.name === name);
  if (key === undefined) throw new Error(`no key ${name}`);
  return key;
}

/** The key text that a row names. */
function keyText(name: string): { readonly text: string; readonly passphrase?: string | undefined } {
  if (name === 'empty text') return { text: '' };
  if (name === 'the text hello') return { text: 'hello' };
  const [base, form] = name.split(/[: ]/, 2) as [string, string?];
  const key = keyNamed(base);
  if (form === 'locked') return { text: key.lockedPrivateKey ?? '' };
  if (form === 'public') return { text: key.publicKey };
  return { text: form === 'private' ? key.privateKey : key.privateKey };
}

/** The outcome by the names of the vectors. Key faults, which have codes of their own here, are encryption failures there. */
async function outcomeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return 'ok';
  } catch (error) {
    if (!isCosiError(error)) throw error;
    if (error.code.startsWith('keystorage/key-')) return 'encryption-failure';
    if (error.code.startsWith('keystorage/')) return error.code.slice('keystorage/'.length);
    return 'untagged';
  }
}

describe('blobs that the Go implementation wrote', () => {
  it.each(vectors.blobs)('K3: reads "$name"', async ({ blob, open, slots, getMasterKey: openings }) => {
    expect(await outcomeOf(async () => slotIds(bytes(blob)))).toBe(open);
    if (open !== 'ok') return;
    const decoded = [...decodeKeySlots(bytes(blob)).slots].map(([id, { algorithm, encryptedKey }]) => ({
      id,
      algorithm,
      ciphertextLength: encryptedKey.length,
    }));
    expect(decoded).toEqual(slots);
    for (const { slot, key, outcome, masterKey } of openings ?? []) {
      const using = { slot, privateKey: keyText(key).text };
      expect([key, await outcomeOf(() => getMasterKey(bytes(blob), using))]).toEqual([key, outcome]);
      if (masterKey !== undefined) expect(toHex(await getMasterKey(bytes(blob), using))).toBe(masterKey);
    }
  });
});

describe('operations as the Go implementation answers them', () => {
  const given = fromHex('020910171e252c333a41484f565d646b727980878e959ca3aab1b8bfc6cdd4db');

  async function storageWith(slots: readonly string[]): Promise<Uint8Array | undefined> {
    let blob: Uint8Array | undefined;
    let first: { slot: string; privateKey: string } | undefined;
    for (const entry of slots) {
      const [slot, key] = entry.split('=') as [string, string];
      const { publicKey, privateKey } = keyNamed(key);
      blob =
        first === undefined
          ? await initialize(undefined, { slot, publicKey, masterKey: given })
          : await addSlot(blob, { slot, publicKey }, first);
      first ??= { slot, privateKey };
    }
    return blob;
  }

  it.each(vectors.operations)('K2: $call, $name', async (row) => {
    const blob = await storageWith(row.slots ?? []);
    const before = blob?.slice();
    const key = keyText(row.key).text;
    const calls = {
      initialize: () => initialize(blob, { slot: row.slot, publicKey: key, masterKey: fromHex(row.masterKey ?? '') }),
      addSlot: () =>
        addSlot(
          blob,
          { slot: row.slot, publicKey: key },
          { slot: row.with ?? '', privateKey: keyNamed(row.withKey ?? '').privateKey },
        ),
      deleteSlot: () => deleteSlot(blob, { slot: row.slot, privateKey: key }),
      getMasterKey: () => getMasterKey(blob, { slot: row.slot, privateKey: key }),
    };
    // An empty text is a missing key to the Go implementation; here it is a malformed one.
    const expected = row.name === 'no key' ? 'encryption-failure' : row.outcome;
    expect(await outcomeOf(calls[row.call])).toBe(expected);
    expect(blob).toEqual(before);
  });
});
