import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import { ClassicLevel } from 'classic-level';
import type { Peer } from './peer.js';
import { measure, type Rate } from './rate.js';
import type { Against, Row } from './report.js';
import { machine, marshaler } from './subject.js';

async function inFolder<T>(base: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(base, 'writes-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates, and then updates, through a state on a store that waits for the disk. */
function ofStore(base: string, writers: number, seconds: number): Promise<{ create: Rate; update: Rate }> {
  return inFolder(base, async (folder) => {
    const store = await openLevelDBStore(folder, { marshaler: marshaler });
    const state = new InMemoryState('bench', { store: store.namespace('bench') });
    const create = await measure(writers, seconds, (n) => state.create(machine(`created-${n}`, n)));
    // Each write updates a resource that no other one updates at that time.
    const free: Resource[] = [];
    for (let i = 0; i < writers * 2; i++) free.push(await state.create(machine(`updated-${i}`, i)));
    const update = await measure(writers, seconds, async (n) => {
      const resource = free.shift() as Resource;
      const next = machine(resource.metadata.id, n);
      free.push(await state.update(next.withMetadata(resource.metadata)));
    });
    await state.close();
    await store.close();
    return { create, update };
  });
}

/** The least that it can take: LevelDB alone, one batch in flight, the next one gathering meanwhile. */
function ofLevelDB(base: string, writers: number, seconds: number): Promise<Rate> {
  return inFolder(base, async (folder) => {
    const level = new ClassicLevel<string, Buffer>(folder, { valueEncoding: 'buffer' });
    await level.open();
    const value = Buffer.alloc(350, 'x');
    let waiting: { readonly key: string; readonly done: () => void }[] = [];
    let flying = false;
    const fly = async () => {
      flying = true;
      while (waiting.length > 0) {
        const batch = level.batch();
        const mine = waiting;
        waiting = [];
        for (const { key } of mine) batch.put(key, value);
        await batch.write({ sync: true });
        for (const { done } of mine) done();
        await new Promise((resolve) => setImmediate(resolve));
      }
      flying = false;
    };
    const rate = await measure(writers, seconds, (n) => {
      const written = new Promise<void>((done) => waiting.push({ key: `key-${n}`, done }));
      if (!flying) void fly();
      return written;
    });
    await level.close();
    return rate;
  });
}

/** B4: writes that wait for the disk. */
export async function durableWrites(
  base: string,
  seconds: number,
  peer: Peer | undefined,
  report: (row: Row) => void,
): Promise<void> {
  for (const writers of [1, 64, 512]) {
    const floor = await ofLevelDB(base, writers, seconds);
    const mine = await ofStore(base, writers, seconds);
    const theirs = await inFolder(base, async (folder) =>
      peer?.run<Record<'create' | 'update', Rate>>('writes', folder, String(writers), String(seconds)),
    );
    const size = `${writers} writer${writers > 1 ? 's' : ''}`;
    const against = (value: (rate: Rate) => number, op: 'create' | 'update'): Against[] => [
      { name: 'bare LevelDB', value: value(floor) },
      ...(theirs === undefined ? [] : [{ name: 'Go with bbolt', value: value(theirs[op]) }]),
    ];
    for (const op of ['create', 'update'] as const) {
      const perSecond = (rate: Rate) => rate.perSecond;
      const medianMs = (rate: Rate) => rate.medianMs;
      const row = { id: 'B4', size };
      report({
        ...row,
        what: `durable ${op}`,
        value: perSecond(mine[op]),
        unit: '/s',
        against: against(perSecond, op),
      });
      const what = `median latency of a durable ${op}`;
      report({ ...row, what, value: medianMs(mine[op]), unit: 'ms', against: against(medianMs, op) });
    }
  }
}
