import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../database.js';
import { blockEntries } from './block.js';
import { BlockCursor } from './block-cursor.js';
import { checkedBlock, footerBytes, readFooter, readIndex } from './table.js';

describe('a cursor of blocks', () => {
  let block: Buffer;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'store-leveldb-'));
    const database = await Database.open(folder, true);
    await database.write((batch) => {
      for (let i = 0; i < 60; i++) batch.put(Buffer.from(`key ${i}`), Buffer.from(`value ${i}`));
      for (let i = 0; i < 60; i += 7) batch.del(Buffer.from(`key ${i}`));
    }, false);
    await database.flush();
    await database.close();
    const name = (await readdir(folder)).find((each) => each.endsWith('.ldb')) as string;
    const table = await readFile(join(folder, name));
    await rm(folder, { recursive: true });
    const [first] = readIndex(checkedBlock(table, readFooter(table.subarray(-footerBytes)).index));
    block = checkedBlock(table, (first as { handle: { offset: number; size: number } }).handle);
  });

  /** What it stands on, one after the other. */
  function visited(bytes: Buffer): [key: string, value: string | undefined][] {
    const cursor = new BlockCursor();
    cursor.begin(bytes, 0, bytes.length);
    const entries: [string, string | undefined][] = [];
    while (cursor.next()) {
      const { key, keyLength, source, valueStart, valueEnd, isDeletion } = cursor;
      const text = (from: Uint8Array) => Buffer.from(from).toString();
      entries.push([
        text(key.subarray(0, keyLength)),
        isDeletion ? undefined : text(source.subarray(valueStart, valueEnd)),
      ]);
    }
    return entries;
  }

  it('stands on the newest entry of every key', () => {
    const all = blockEntries(block);
    expect(all.length).toBe(60 + 9);
    const newest = new Map<string, string | undefined>();
    for (const { key, value } of all) {
      const name = key.subarray(0, -8).toString();
      if (!newest.has(name)) newest.set(name, key[key.length - 8] === 0 ? undefined : value.toString());
    }
    expect(visited(block)).toEqual([...newest]);
  });

  it('P5: says of a damaged block that it is one, or goes through it, whatever is wrong with it', () => {
    let refused = 0;
    for (let at = 0; at < block.length; at++) {
      for (const byte of [0, 0x7f, 0x80, 0xff, (block[at] as number) ^ 1]) {
        const damaged = Buffer.from(block);
        damaged[at] = byte;
        try {
          visited(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(500);
    for (let length = 0; length < 4; length++) expect(() => visited(block.subarray(0, length))).toThrow(RangeError);
  });
});
