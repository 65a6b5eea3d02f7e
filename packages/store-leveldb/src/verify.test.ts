import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInUse, isInvalidArgument } from '@cosi-ts/resource';
import type { StoreChange } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { beginOpening } from './closing-record.js';
import { copyOf } from './testdata/damage.js';
import { loaded, marshaler, openStore, temporaryFolder, thing } from './testdata/things.js';
import { verifyLevelDBStore } from './verify.js';

/** A store with something in tables as well as in a log, and with resources that were updated and destroyed. */
async function fill(folder: string) {
  for (const round of [1n, 2n, 3n]) {
    const store = await openStore(folder);
    const mine = store.namespace('things');
    const change = (i: number): StoreChange => {
      const id = `thing-${i}`;
      if (round === 1n) return { type: 'created', resource: thing(id) };
      if (i % 10 === 0 && round === 3n) return { type: 'destroyed', resource: thing(id, 2n) };
      return { type: 'updated', resource: thing(id, round), old: thing(id, round - 1n) };
    };
    await Promise.all(Array.from({ length: 60 }, (_, i) => mine.write(change(i), () => undefined)));
    await store.close();
  }
}

async function filesOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort();
}

/** The ends of a file, and some positions in between: trying all of them would take too long. */
function samples(size: number): number[] {
  const inside = Array.from({ length: 15 }, (_, i) => Math.floor(((i + 0.37) * size) / 15));
  const ends = Array.from({ length: 20 }, (_, i) => size - 1 - i);
  return [...new Set([0, 3, 5, 6, ...inside, ...ends])].filter((at) => at >= 0 && at < size);
}

describe('verifyLevelDBStore', () => {
  it('P8: counts what a good store holds, and changes nothing in the folder', async () => {
    const folder = await temporaryFolder();
    await fill(folder);
    const before = await Promise.all((await filesOf(folder)).map((name) => stat(join(folder, name))));
    const report = await verifyLevelDBStore(folder, { marshaler });
    expect(report).toEqual({
      ok: true,
      damage: [],
      closed: true,
      unfinishedBytes: 0,
      contents: { resources: 54, namespaces: { things: 54 }, events: 180, position: 180 },
    });
    expect(await verifyLevelDBStore(folder)).toEqual(report);
    const after = await Promise.all((await filesOf(folder)).map((name) => stat(join(folder, name))));
    expect(after.map(({ mtimeMs, size, ino }) => [mtimeMs, size, ino])).toEqual(
      before.map(({ mtimeMs, size, ino }) => [mtimeMs, size, ino]),
    );
  });

  it('P4: refuses a store that is open', async () => {
    const folder = await temporaryFolder();
    await openStore(folder);
    await expect(verifyLevelDBStore(folder)).rejects.toSatisfy(isInUse);
  });

  it('says when there is no store', async () => {
    const folder = await temporaryFolder();
    await expect(verifyLevelDBStore(folder)).rejects.toSatisfy(isInvalidArgument);
    await expect(verifyLevelDBStore(join(folder, 'missing'))).rejects.toSatisfy(isInvalidArgument);
  });

  it('P5: reports a flipped bit anywhere in any file of the folder', async () => {
    const folder = await temporaryFolder();
    await fill(folder);
    const silent: string[] = [];
    for (const name of await filesOf(folder)) {
      const path = join(folder, name);
      const contents = await readFile(path);
      for (const at of samples(contents.length)) {
        const flipped = Buffer.from(contents);
        flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
        await writeFile(path, flipped);
        const { ok } = await verifyLevelDBStore(folder);
        if (ok) silent.push(`${name} at ${at}`);
      }
      await writeFile(path, contents);
    }
    expect(silent).toEqual([]);
    expect((await verifyLevelDBStore(folder)).ok).toBe(true);
  }, 120_000);

  it('P5: knows what was closed also after an opening that was cut short, in which LevelDB began new diaries', async () => {
    const folder = await temporaryFolder();
    await fill(folder);
    await beginOpening(folder);
    await rename(join(folder, 'LOG'), join(folder, 'LOG.old'));
    await writeFile(join(folder, 'LOG'), '');
    expect(await verifyLevelDBStore(folder, { marshaler })).toMatchObject({ ok: true, closed: true });
    const cut = await copyOf(folder);
    const manifest = (await filesOf(cut)).find((name) => name.startsWith('MANIFEST-')) as string;
    const bytes = await readFile(join(cut, manifest));
    // Nothing that the format of manifests would show to be wrong.
    await writeFile(join(cut, manifest), Buffer.concat([bytes, Buffer.alloc(7)]));
    expect((await verifyLevelDBStore(cut)).damage).toContainEqual(expect.objectContaining({ file: manifest }));
    await using store = await openStore(folder);
    expect(await loaded(store)).toHaveLength(54);
    expect(await filesOf(folder)).not.toContain('OPENING');
  });

  it('P5: reports a flipped bit in what a crash left, but in the diaries', async () => {
    const open = await temporaryFolder();
    await fill(open);
    const store = await openStore(open);
    for (let i = 0; i < 5; i++) {
      await store.namespace('things').write({ type: 'created', resource: thing(`late-${i}`) }, () => undefined);
    }
    const folder = await copyOf(open);
    expect(await verifyLevelDBStore(folder, { marshaler })).toMatchObject({
      ok: true,
      closed: false,
      unfinishedBytes: 0,
    });
    const silent: string[] = [];
    for (const name of (await filesOf(folder)).filter((each) => !each.startsWith('LOG'))) {
      const path = join(folder, name);
      const contents = await readFile(path);
      for (const at of samples(contents.length)) {
        const flipped = Buffer.from(contents);
        flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
        await writeFile(path, flipped);
        if ((await verifyLevelDBStore(folder)).ok) silent.push(`${name} at ${at}`);
      }
      await writeFile(path, contents);
    }
    expect(silent).toEqual([]);
  }, 120_000);

  it('P5: takes a log that is cut off at its very end for what a crash leaves', async () => {
    const open = await temporaryFolder();
    const store = await openStore(open);
    for (let i = 0; i < 5; i++) {
      await store.namespace('things').write({ type: 'created', resource: thing(`late-${i}`) }, () => undefined);
    }
    const folder = await copyOf(open);
    const log = join(folder, (await filesOf(folder)).find((name) => name.endsWith('.log')) as string);
    const contents = await readFile(log);
    await writeFile(log, contents.subarray(0, -3));
    const report = await verifyLevelDBStore(folder, { marshaler });
    expect(report).toMatchObject({ ok: true, closed: false, contents: { resources: 4, events: 4 } });
    expect(report.unfinishedBytes).toBeGreaterThan(0);
    expect(await loaded(await openStore(folder))).toHaveLength(4);
  });

  it('P5: reports a byte that is missing anywhere in any file, and a file that is cut off', async () => {
    const folder = await temporaryFolder();
    await fill(folder);
    const silent: string[] = [];
    for (const name of await filesOf(folder)) {
      const path = join(folder, name);
      const contents = await readFile(path);
      for (const at of samples(contents.length).filter((_, i) => i % 3 === 0)) {
        for (const left of [
          contents.subarray(0, at),
          Buffer.concat([contents.subarray(0, at), contents.subarray(at + 1)]),
        ]) {
          await writeFile(path, left);
          const { ok } = await verifyLevelDBStore(folder);
          if (ok) silent.push(`${name} at ${at}: ${left.length} of ${contents.length}`);
        }
      }
      await writeFile(path, contents);
    }
    expect(silent).toEqual([]);
  }, 120_000);
});
