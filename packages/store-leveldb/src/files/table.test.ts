import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../database.js';
import { checkTable, salvageTable } from './table.js';

describe('tables of LevelDB', () => {
  let table: Buffer;

  /** One that LevelDB made, with deletions and several blocks. */
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'store-leveldb-'));
    const database = await Database.open(folder, true);
    await database.write((batch) => {
      for (let i = 0; i < 300; i++) batch.put(Buffer.from(`key ${i}`), Buffer.from(`value ${i} `.repeat(5)));
      for (let i = 0; i < 300; i += 7) batch.del(Buffer.from(`key ${i}`));
    }, false);
    await database.close();
    await (await Database.open(folder)).close();
    const name = (await readdir(folder)).find((each) => each.endsWith('.ldb')) as string;
    table = await readFile(join(folder, name));
    await rm(folder, { recursive: true });
  });

  function flipped(at: number, bit: number): Buffer {
    const damaged = Buffer.from(table);
    damaged[at] = (damaged[at] as number) ^ (1 << bit);
    return damaged;
  }

  it('P5: are fine as they are, and wrong with any bit flipped', () => {
    expect(checkTable(table)).toEqual([]);
    for (let at = 0; at < table.length; at += at < table.length - 600 ? 13 : 1) {
      expect(checkTable(flipped(at, at % 8)), `at ${at}`).not.toEqual([]);
    }
    // No checksum covers the end.
    for (let at = table.length - 48; at < table.length; at++) {
      for (let bit = 0; bit < 8; bit++) expect(checkTable(flipped(at, bit)), `bit ${bit} at ${at}`).not.toEqual([]);
    }
  });

  it('P5: are wrong when anything is cut off or missing', () => {
    for (let at = 0; at < table.length; at += 97) {
      expect(checkTable(table.subarray(0, at))).not.toEqual([]);
      expect(checkTable(Buffer.concat([table.subarray(0, at), table.subarray(at + 1)]))).not.toEqual([]);
    }
  });

  it('P5: a flipped bit in a value does LevelDB no harm, one in the lengths does', () => {
    const value = table.indexOf('value 8 ');
    expect(checkTable(flipped(value, 0))).toMatchObject([{ broken: false }]);
    const effects = Array.from({ length: 200 }, (_, i) =>
      checkTable(flipped(value + i, 7)).some(({ broken }) => broken),
    );
    expect(effects).toContain(true);
    expect(effects).toContain(false);
  });

  it('P8: give all entries that are whole, with their index and without', () => {
    const entries = salvageTable(table);
    expect(entries.length).toBe(300 + 43);
    expect(entries.filter(({ value }) => value.length === 0)).toHaveLength(43);
    expect(salvageTable(table.subarray(0, table.length - 20))).toEqual(entries);
    expect(salvageTable(flipped(table.indexOf('value 8 ') + 1, 0))).toHaveLength(entries.length);
    expect(salvageTable(Buffer.alloc(500, 7))).toEqual([]);
  });
});
