import { readdir, writeFile } from 'node:fs/promises';
import { KeyStorage } from '@cosi-ts/keystorage';
import { describe, expect, it } from 'vitest';
import { keyPair } from '../testing/key-pair.js';
import { TemporaryFolder } from '../testing/temporary-folder.js';
import { KeyBlobFile } from './key-blob.js';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('the file of a key storage', () => {
  it('is written only over what was read', async () => {
    await using folder = await TemporaryFolder.make();
    const file = new KeyBlobFile(folder.file('keys'));
    expect(await file.read()).toBeUndefined();
    expect(await file.write(bytes(1), bytes(0))).toBe(false);
    expect(await file.read()).toBeUndefined();
    expect(await file.write(bytes(1), undefined)).toBe(true);
    expect(await file.write(bytes(2), undefined)).toBe(false);
    expect(await file.write(bytes(2), bytes(3))).toBe(false);
    const stored = await file.read();
    expect(Buffer.from(stored?.blob ?? [])).toEqual(Buffer.from([1]));
    expect(await file.write(bytes(2), stored?.version)).toBe(true);
    expect(Buffer.from((await file.read())?.blob ?? [])).toEqual(Buffer.from([2]));
    expect(await readdir(folder.path)).toEqual(['keys']);
  });

  it('is taken over from a process that has died while it wrote', async () => {
    await using folder = await TemporaryFolder.make();
    await writeFile(folder.file('keys.lock'), '2147483646\n');
    await writeFile(folder.file('keys.next'), 'half of it');
    const file = new KeyBlobFile(folder.file('keys'));
    expect(await file.write(bytes(1), undefined)).toBe(true);
    expect(await readdir(folder.path)).toEqual(['keys']);
  });

  it('K6: loses no slot when several are added at once', async () => {
    await using folder = await TemporaryFolder.make();
    const storage = () => new KeyStorage(new KeyBlobFile(folder.file('keys')));
    const { privateKey, publicKey } = await keyPair();
    await storage().initialize({ slot: 'first', publicKey });
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((slot) => storage().addSlot({ slot, publicKey }, { slot: 'first', privateKey })));
    expect(await storage().slotIds()).toEqual([...names, 'first']);
  });
});
