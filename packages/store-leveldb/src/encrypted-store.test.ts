import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compressed, encrypted, protobufMarshaler } from '@cosi-ts/marshalers';
import { isCorrupt } from '@cosi-ts/resource';
import { beforeEach, describe, expect, it } from 'vitest';
import { framed, unframed } from './checksum.js';
import { Database } from './database.js';
import { decodeEvent, encodeEvent } from './event-record.js';
import { eventKey, resourceKey } from './keys.js';
import { copyOf } from './testdata/damage.js';
import { at, loaded, openStore, stateOn, Thing, temporaryFolder } from './testdata/things.js';
import { verifyLevelDBStore } from './verify.js';

const marshaler = encrypted(compressed(protobufMarshaler()), { keys: () => new Uint8Array(32).fill(3) });

function secretThing(id: string) {
  const metadata = {
    labels: { 'secret-label': 'secret-label-value' },
    annotations: { 'secret-annotation': 'secret-annotation-value' },
    finalizers: ['secret-finalizer'],
    owner: 'secret-owner',
  };
  return Thing.new(id, { text: `secret-spec ${'secret-long-spec '.repeat(200)}` }, metadata);
}

describe('a store with an encrypting marshaler', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await temporaryFolder();
    const store = await openStore(folder, { marshaler });
    const state = stateOn(store);
    for (const id of ['first-id', 'second-id']) {
      await state.create(secretThing(id), { owner: 'secret-owner' });
      const change = (draft: { spec: { text: string } }) => {
        draft.spec.text = 'secret-other-spec';
      };
      await state.updateWithConflicts(Thing.at(id), change, { owner: 'secret-owner' });
    }
    await state.close();
    await store.close();
  });

  async function tamper(work: (database: Database) => Promise<void>) {
    const database = await Database.open(folder);
    await work(database);
    await database.close();
  }

  it('P10: shows no spec, label, annotation, owner or finalizer in any file, but the pointers', async () => {
    const open = await openStore(folder, { marshaler });
    await open.namespace('things').write({ type: 'created', resource: secretThing('third-id') }, () => undefined);
    const crashed = await copyOf(folder);
    await open.close();
    for (const [where, id] of [
      [folder, 'second-id'],
      [crashed, 'third-id'],
    ] as const) {
      const contents = await Promise.all((await readdir(where)).map((name) => readFile(join(where, name), 'latin1')));
      expect(contents.some((text) => text.includes('secret'))).toBe(false);
      expect(contents.some((text) => text.includes(id))).toBe(true);
    }
  });

  it('P10: refuses records that were swapped, though their checksums were made to fit', async () => {
    const [first, second] = [resourceKey(at('first-id')), resourceKey(at('second-id'))];
    await tamper(async (database) => {
      const record = async (key: Buffer) => unframed(key, (await database.get(key)) as Uint8Array) as Buffer;
      const [a, b] = [await record(first), await record(second)];
      await database.write((batch) => {
        batch.put(first, framed(first, b));
        batch.put(second, framed(second, a));
      }, true);
    });
    await expect(loaded(await openStore(folder, { marshaler }))).rejects.toMatchObject({
      code: 'corrupt',
      subject: at('first-id'),
    });
  });

  it('P10: refuses events of one resource that were swapped, though their checksums were made to fit', async () => {
    const [first, second] = [eventKey(1), eventKey(2)];
    await tamper(async (database) => {
      const event = async (key: Buffer) => {
        const read = decodeEvent(key, (await database.get(key)) as Uint8Array);
        if (read === undefined) throw new Error('there is no such event');
        return read;
      };
      const [a, b] = [await event(first), await event(second)];
      await database.write((batch) => {
        batch.put(first, encodeEvent(first, b));
        batch.put(second, encodeEvent(second, a));
      }, true);
    });
    const log = (await openStore(folder, { marshaler })).namespace('things').log;
    await expect(log?.read(Thing.kind, 0, 4)).rejects.toSatisfy(isCorrupt);
  });

  it('P8: is verified without its key as far as that goes, and wholly with it', async () => {
    const contents = { resources: 2, events: 4 };
    expect(await verifyLevelDBStore(folder)).toMatchObject({ ok: true, contents, damage: [] });
    expect(await verifyLevelDBStore(folder, { marshaler })).toMatchObject({ ok: true, contents, damage: [] });
    const wrong = encrypted(protobufMarshaler(), { keys: () => new Uint8Array(32).fill(4) });
    const { ok, damage } = await verifyLevelDBStore(folder, { marshaler: wrong });
    expect([ok, damage.length]).toEqual([false, 6]);
  });
});
