import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInvalidArgument, isInvalidBookmark } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { ids, loaded, marshaler, openStore, stateOn, Thing, temporaryFolder, thing } from './testdata/things.js';
import { verifyLevelDBStore } from './verify.js';

describe('backup', () => {
  it('P8: holds one moment of a store in use, whole and verifiable', async () => {
    const store = await openStore(await temporaryFolder());
    const target = join(await temporaryFolder(), 'deep', 'backup');
    const mine = store.namespace('things');
    const write = (i: number) => mine.write({ type: 'created', resource: thing(`t${i}`) }, () => undefined);
    await Promise.all(Array.from({ length: 1500 }, (_, i) => write(i)));
    const backingUp = store.backup(target);
    const more = Promise.all(Array.from({ length: 500 }, (_, i) => write(1500 + i)));
    const { position, damaged } = await backingUp;
    await more;
    expect(damaged).toBe(0);
    expect(position).toBeGreaterThanOrEqual(1500);
    expect(await verifyLevelDBStore(target, { marshaler })).toMatchObject({
      ok: true,
      closed: true,
      contents: { resources: position, events: position, position },
    });
    expect(await loaded(await openStore(target))).toHaveLength(position);
    expect(await readdir(join(target, '..'))).toEqual(['backup']);
  });

  it('W10: a restored backup refuses the bookmarks that were taken after it, and takes those from before', async () => {
    const store = await openStore(await temporaryFolder());
    const target = join(await temporaryFolder(), 'backup');
    const state = stateOn(store);
    const watch = await state.watchKind(Thing.kind);
    const make = async (id: string) => {
      await state.create(Thing.new(id, { text: 'x' }));
      return ((await watch.next()).value as Event & { bookmark: Uint8Array }).bookmark;
    };
    const before = await make('a');
    await make('b');
    await store.backup(target);
    const after = await make('c');
    const restored = stateOn(await openStore(target));
    await restored.create(Thing.new('other', { text: 'x' }));
    await expect(restored.watchKind(Thing.kind, { startFromBookmark: after })).rejects.toSatisfy(isInvalidBookmark);
    const resumed = await restored.watchKind(Thing.kind, { startFromBookmark: before });
    expect((await resumed.next()).value).toMatchObject({ resource: { metadata: { id: 'b' } } });
    await restored.close();
    await state.close();
  });

  it('P8: leaves what is there alone, and nothing behind when it is ended', async () => {
    const store = await openStore(await temporaryFolder());
    const folder = await temporaryFolder();
    const target = join(folder, 'backup');
    await mkdir(target);
    await store.backup(target);
    await expect(store.backup(target)).rejects.toSatisfy(isInvalidArgument);
    await writeFile(join(folder, 'notes'), 'mine');
    await expect(store.backup(folder)).rejects.toSatisfy(isInvalidArgument);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(store.backup(join(folder, 'another'), { signal })).rejects.toThrow('enough');
    expect((await readdir(folder)).sort()).toEqual(['backup', 'notes']);
    expect(await readFile(join(folder, 'notes'), 'utf8')).toBe('mine');
    expect(ids(await loaded(await openStore(target)))).toEqual([]);
  });
});
