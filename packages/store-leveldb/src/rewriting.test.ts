import { encrypted, protobufMarshaler } from '@cosi-ts/marshalers';
import { isCorrupt } from '@cosi-ts/resource';
import type { StoreChange } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import type { LevelDBStore } from './level-db-store.js';
import { ids, loaded, openStore, temporaryFolder, thing } from './testdata/things.js';
import { verifyLevelDBStore } from './verify.js';

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const withKeys = (...keys: Uint8Array[]) => encrypted(protobufMarshaler(), { keys: () => keys });

async function write(store: LevelDBStore, change: StoreChange) {
  await store.namespace('things').write(change, () => undefined);
}

describe('rewriteRecords', () => {
  it('P5: writes records and events again with the newest key, while writes go on; then the old key can go', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder, { marshaler: withKeys(oldKey) });
    await Promise.all(
      Array.from({ length: 500 }, (_, i) => write(store, { type: 'created', resource: thing(`t${i}`) })),
    );
    await write(store, { type: 'updated', resource: thing('t1', 2n), old: thing('t1') });
    await store.close();

    const both = await openStore(folder, { marshaler: withKeys(newKey, oldKey) });
    const rewriting = both.rewriteRecords();
    await write(both, { type: 'updated', resource: thing('t2', 2n), old: thing('t2') });
    await write(both, { type: 'created', resource: thing('late') });
    const report = await rewriting;
    expect(report.unreadable).toBe(0);
    expect(report.events).toBe(501);
    expect(report.resources).toBeGreaterThanOrEqual(499);
    expect(await both.rewriteRecords()).toEqual({ resources: 0, events: 0, unreadable: 0 });
    await both.close();

    expect(await verifyLevelDBStore(folder, { marshaler: withKeys(newKey) })).toMatchObject({ ok: true });
    const last = await openStore(folder, { marshaler: withKeys(newKey) });
    const resources = await loaded(last);
    expect(resources).toHaveLength(501);
    expect(resources.filter(({ metadata }) => metadata.version === 2n).map(({ metadata }) => metadata.id)).toEqual([
      't1',
      't2',
    ]);
  });

  it('P5: without the key that wrote a record, the error names it; and it is not written again', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder, { marshaler: withKeys(oldKey) });
    await write(store, { type: 'created', resource: thing('a') });
    await store.close();
    const wrong = await openStore(folder, { marshaler: withKeys(newKey) });
    const loading = loaded(wrong);
    await expect(loading).rejects.toSatisfy(isCorrupt);
    await expect(loading).rejects.toThrow('Things.test.cosi.dev(things/a)');
    expect(await wrong.rewriteRecords()).toEqual({ resources: 0, events: 0, unreadable: 2 });
    await wrong.close();
    expect(ids(await loaded(await openStore(folder, { marshaler: withKeys(oldKey) })))).toEqual(['a']);
  });

  it('does nothing for a marshaler of which all records are current, and ends with its signal', async () => {
    const store = await openStore(await temporaryFolder());
    await write(store, { type: 'created', resource: thing('a') });
    expect(await store.rewriteRecords()).toEqual({ resources: 0, events: 0, unreadable: 0 });
    const encryptedStore = await openStore(await temporaryFolder(), { marshaler: withKeys(newKey) });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(encryptedStore.rewriteRecords({ signal })).rejects.toThrow('enough');
  });
});
