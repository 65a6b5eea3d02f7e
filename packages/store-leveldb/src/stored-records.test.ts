import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resource } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { Connection } from './connection.js';
import { Database } from './database.js';
import type { KeyRange } from './keys.js';
import { namespaceRange } from './keys.js';
import type { Logger } from './logger.js';
import { RecordReader } from './record-reader.js';
import { readStored } from './stored-records.js';
import { copyOf } from './testdata/damage.js';
import { ids, loaded, marshaler, openStore, stateOn, Thing, temporaryFolder, thing } from './testdata/things.js';

describe('stored records', () => {
  /** Stores resources of some names, in a table for each name. */
  async function fill(folder: string, ...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const store = await openStore(folder);
      for (let i = 0; i < 3; i++) {
        await store.namespace('things').write({ type: 'created', resource: thing(`${name}${i}`) }, () => undefined);
      }
      await store.close();
    }
  }

  async function tables(folder: string): Promise<string[]> {
    return (await readdir(folder)).filter((name) => name.endsWith('.ldb')).sort();
  }

  async function read(folder: string, range: KeyRange, log: (message: string) => void, before?: () => Promise<void>) {
    const logger: Logger = { info: (_, message) => log(message), warn() {}, error() {} };
    const connection = new Connection(await Database.open(folder), async () => undefined);
    const reader = new RecordReader(marshaler, ({ error }) => {
      throw error;
    });
    // LevelDB keeps the tables open that it has read from.
    await connection.use((database) => database.read(range, { limit: 1000 }));
    await before?.();
    const resources: Resource[] = [];
    for await (const _ of readStored(connection, range, reader, true, logger)) {
      resources.push(...(await reader.take()).resources);
    }
    await connection.close();
    return resources;
  }

  it('are had from LevelDB when tables go while they are read, each once', async () => {
    const folder = await temporaryFolder();
    await fill(folder, 'a', 'b', 'c');
    const range = namespaceRange('things');
    const all = ['a0', 'a1', 'a2', 'b0', 'b1', 'b2', 'c0', 'c1', 'c2'];
    const said: string[] = [];
    expect(ids(await read(folder, range, (message) => said.push(message)))).toEqual(all);
    expect(said).toEqual([]);
    const last = (await tables(folder)).at(-1) as string;
    const gone = () => rm(join(folder, last));
    expect(ids(await read(folder, range, (message) => said.push(message), gone))).toEqual(all);
    expect(said).toHaveLength(3);
  });

  it('P1: are the newest ones, also when they are in no table yet', async () => {
    const folder = await temporaryFolder();
    await fill(folder, 'a');
    const store = await openStore(folder);
    await store
      .namespace('things')
      .write({ type: 'updated', resource: thing('a1', 2n, 'new'), old: thing('a1') }, () => undefined);
    await store.namespace('things').write({ type: 'destroyed', resource: thing('a2') }, () => undefined);
    const resources = await loaded(store);
    expect(resources.map(({ metadata }) => [metadata.id, metadata.version])).toEqual([
      ['a0', 1n],
      ['a1', 2n],
    ]);
    await store.close();
    const again = await openStore(folder);
    expect(ids(await loaded(again))).toEqual(['a0', 'a1']);
  });

  it('P1: are there after a crash, when they were in the log alone', async () => {
    const folder = await temporaryFolder();
    await fill(folder, 'a');
    const store = await openStore(folder);
    const state = stateOn(store);
    await state.create(Thing.new('late', { text: 'late' }));
    const copy = await copyOf(folder);
    await state.close();
    expect(ids(await loaded(await openStore(copy)))).toEqual(['a0', 'a1', 'a2', 'late']);
  });
});
