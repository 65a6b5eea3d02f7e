import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeCheckedFile } from './checked-file.js';
import { checkFiles } from './files/check-files.js';
import { fingerprintTables } from './files/check-tables.js';
import { readKnownTables } from './known-tables.js';
import { flipAt } from './testdata/damage.js';
import { ids, loaded, openStore, temporaryFolder, thing } from './testdata/things.js';

describe('known tables', () => {
  /** Makes a store of two tables at least. */
  async function filled(): Promise<string> {
    const folder = await temporaryFolder();
    for (const id of ['a', 'b']) {
      const store = await openStore(folder);
      const resource = thing(id, 1n, `the text of ${id}`);
      await store.namespace('things').write({ type: 'created', resource }, () => undefined);
      await store.close();
    }
    return folder;
  }

  async function tables(folder: string): Promise<string[]> {
    return (await readdir(folder)).filter((name) => name.endsWith('.ldb')).sort();
  }

  it('are all that there are when a store is closed, with what they were', async () => {
    const folder = await filled();
    const { fingerprints, faults } = await readKnownTables(folder);
    expect(faults).toEqual([]);
    expect([...fingerprints.keys()].sort()).toEqual(await tables(folder));
    expect((await checkFiles(folder)).fingerprints).toEqual(fingerprints);
  });

  it('are no more than there is time for', async () => {
    const folder = await filled();
    const all = await fingerprintTables(folder, new Map(), Number.POSITIVE_INFINITY);
    expect(all.size).toBeGreaterThan(1);
    const [first] = await tables(folder);
    const { size } = await stat(join(folder, first as string));
    expect((await fingerprintTables(folder, new Map(), size + 1)).size).toBe(2);
    expect((await fingerprintTables(folder, new Map(), size)).size).toBe(1);
    expect(await fingerprintTables(folder, all, 0)).toEqual(all);
  });

  it('P5: that are not what they were are checked as others are', async () => {
    const folder = await filled();
    const { fingerprints } = await readKnownTables(folder);
    const name = await flipAt(folder, '.ldb', 'the text of b');
    const report = await checkFiles(folder, fingerprints);
    expect(report.faults).toMatchObject([{ file: name, effect: 'reads' }]);
    expect(report.fingerprints.has(name)).toBe(false);
    const store = await openStore(folder);
    await expect(loaded(store)).rejects.toThrow(/things\/b.*checksum/);
    await store.close();
    // It was not in order, and is not known then.
    expect((await readKnownTables(folder)).fingerprints.has(name)).toBe(false);
  });

  it('P5: with any byte flipped or cut are found out at opening', async () => {
    const folder = await filled();
    const { fingerprints } = await readKnownTables(folder);
    for (const name of await tables(folder)) {
      const path = join(folder, name);
      const contents = await readFile(path);
      for (let at = 0; at < contents.length; at += 7) {
        const flipped = Buffer.from(contents);
        flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
        await writeFile(path, flipped);
        expect((await checkFiles(folder, fingerprints)).faults, `${name} at ${at}`).not.toEqual([]);
      }
      await writeFile(path, contents.subarray(0, -1));
      expect((await checkFiles(folder, fingerprints)).faults).not.toEqual([]);
      await writeFile(path, contents);
    }
    expect((await checkFiles(folder, fingerprints)).faults).toEqual([]);
  });

  it('are believed by their contents alone: another fingerprint is no damage', async () => {
    const folder = await filled();
    const { fingerprints } = await readKnownTables(folder);
    const wrong = Object.fromEntries([...fingerprints.keys()].map((name) => [name, '00']));
    await writeCheckedFile(folder, 'TABLES', wrong);
    const report = await checkFiles(folder, (await readKnownTables(folder)).fingerprints);
    expect(report.faults).toEqual([]);
    expect(report.fingerprints).toEqual(fingerprints);
    expect(ids(await loaded(await openStore(folder)))).toEqual(['a', 'b']);
  });

  it('P5: are told of when the file that names them is damaged, and the store is as good as before', async () => {
    const folder = await filled();
    const path = join(folder, 'TABLES');
    const contents = await readFile(path);
    contents[10] = (contents[10] as number) ^ 1;
    await writeFile(path, contents);
    const errors: object[] = [];
    const logger = { info() {}, warn() {}, error: (facts: object) => errors.push(facts) };
    const store = await openStore(folder, { logger });
    expect(errors).toMatchObject([{ faults: [{ file: 'TABLES', what: 'it is damaged' }] }]);
    expect(ids(await loaded(store))).toEqual(['a', 'b']);
    await store.close();
    expect((await readKnownTables(folder)).faults).toEqual([]);
  });
});
