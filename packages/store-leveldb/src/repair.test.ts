import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isInUse, isInvalidArgument, isInvalidBookmark } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkTable } from './files/table.js';
import { repairLevelDBStore } from './repair.js';
import { copyOf, flipAt } from './testdata/damage.js';
import { at, ids, loaded, marshaler, openStore, stateOn, Thing, temporaryFolder, thing } from './testdata/things.js';
import { verifyLevelDBStore } from './verify.js';

const resources = 400;

describe('repairLevelDBStore', () => {
  let folder: string;
  let into: string;

  beforeEach(async () => {
    folder = await temporaryFolder();
    into = join(await temporaryFolder(), 'repaired');
    const store = await openStore(folder);
    const change = (i: number) => ({ type: 'created', resource: thing(`t${i}`, 1n, `text ${i}.`) }) as const;
    await Promise.all(
      Array.from({ length: resources }, (_, i) => store.namespace('things').write(change(i), () => undefined)),
    );
    await store.close();
  });

  const repair = () => repairLevelDBStore(folder, into, { marshaler });

  async function expectWhole(folder: string, count: number) {
    expect(await verifyLevelDBStore(folder, { marshaler })).toMatchObject({ ok: true, contents: { resources: count } });
    expect(await loaded(await openStore(folder))).toHaveLength(count);
  }

  async function fileNamed(extension: string): Promise<string> {
    const name = (await readdir(folder)).find((each) => each.endsWith(extension));
    return join(folder, name as string);
  }

  async function change(path: string, work: (contents: Buffer) => Buffer) {
    await writeFile(path, work(await readFile(path)));
  }

  it('P8: leaves out a damaged record and names it, and leaves the old store as it is', async () => {
    await flipAt(folder, '.ldb', 'text 7.');
    const before = await copyOf(folder);
    const report = await repair();
    expect(report.resources).toBe(resources - 1);
    expect(report.damage).toContainEqual(expect.objectContaining({ pointer: at('t7') }));
    await expectWhole(into, resources - 1);
    for (const name of await readdir(before)) {
      if (name === 'LOG' || name === 'LOG.old') continue;
      expect(await readFile(join(folder, name)), name).toEqual(await readFile(join(before, name)));
    }
  });

  it('P8: reads what is left of a table whose structure is damaged', async () => {
    const table = await fileNamed('.ldb');
    // Somewhere after a text the lengths of the next entry follow: with others, LevelDB would run out of the block.
    await change(table, (contents) => {
      for (let at = contents.lastIndexOf('text 200.'); ; at++) {
        const damaged = Buffer.from(contents);
        damaged[at] = 0xff;
        if (checkTable(damaged).some(({ broken }) => broken)) return damaged;
      }
    });
    await expect(openStore(folder)).rejects.toThrow(basename(table));
    const report = await repair();
    expect(report.resources).toBeLessThan(resources);
    expect(report.resources).toBeGreaterThan(resources - 40);
    expect(report.damage.map(({ what }) => what).join()).toMatch(/should hold 400 resources, and holds/);
    await expectWhole(into, report.resources);
  });

  it('P8: reads a table without its index, and files without their manifest', async () => {
    await change(await fileNamed('.ldb'), (contents) => contents.subarray(0, contents.length - 30));
    await rm(join(folder, 'CURRENT'));
    expect((await repair()).resources).toBe(resources);
    await expectWhole(into, resources);
  });

  it('P8: reads what is left of a damaged log', async () => {
    const store = await openStore(folder);
    const write = (i: number) => ({ type: 'created', resource: thing(`u${i}`, 1n, `text ${i}.`) }) as const;
    for (let i = 0; i < 20; i++) {
      await Promise.all(
        Array.from({ length: 10 }, (_, k) => store.namespace('things').write(write(i * 10 + k), () => undefined)),
      );
    }
    folder = await copyOf(folder);
    await change(await fileNamed('.log'), (contents) => {
      contents[40_000] = (contents[40_000] as number) ^ 1;
      return contents;
    });
    const report = await repair();
    expect(report.damage).toContainEqual(expect.objectContaining({ file: expect.stringMatching(/\.log$/) }));
    expect(report.resources).toBeGreaterThan(resources);
    expect(report.resources).toBeLessThan(resources + 200);
    await expectWhole(into, report.resources);
  });

  it('W10: what was repaired goes on with higher positions, and refuses bookmarks from before', async () => {
    const old = await openStore(folder);
    const state = stateOn(old);
    const watch = await state.watchKind(Thing.kind, { bootstrapBookmark: true });
    const { bookmark } = (await watch.next()).value as Event & { bookmark: Uint8Array };
    await state.close();
    await old.close();
    expect(await repair()).toEqual({ resources, damage: [], position: resources });
    const store = await openStore(into);
    const repaired = stateOn(store);
    await expect(repaired.watchKind(Thing.kind, { startFromBookmark: bookmark })).rejects.toSatisfy(isInvalidBookmark);
    await repaired.create(Thing.new('new', { text: 'x' }));
    expect(await store.stats()).toMatchObject({ position: resources + 1, events: 1 });
    expect(ids(await repaired.list(Thing.kind))).toContain('new');
    await repaired.close();
  });

  it('P4: refuses a store that is open, and a folder that is not empty', async () => {
    const store = await openStore(folder);
    await expect(repair()).rejects.toSatisfy(isInUse);
    await store.close();
    await expect(repairLevelDBStore(folder, folder, { marshaler })).rejects.toSatisfy(isInvalidArgument);
  });
});
