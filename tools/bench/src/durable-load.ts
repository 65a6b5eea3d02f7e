import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import { runChild } from './child-processes.js';
import type { Peer } from './peer.js';
import { median, type Row } from './report.js';
import { machine, marshaler } from './subject.js';

const loadProcess = fileURLToPath(new URL('./load-process.js', import.meta.url));

/** What a process measured that opened and loaded a store. */
export interface Loaded {
  readonly resources: number;
  readonly openMs: number;
  readonly loadMs: number;
  /** What the first list of all took then. Absent where it was not measured. */
  readonly listMs?: number;
  /** Live memory of JavaScript and of its buffers, after a collection, beyond that before. */
  readonly heapBytes: number;
  /** What the process had at most, by the operating system. */
  readonly residentBytes: number;
}

async function fill(folder: string, resources: number): Promise<void> {
  const store = await openLevelDBStore(folder, {
    marshaler: marshaler,
    durability: 'os',
    log: { maxEvents: resources },
  });
  const state = new InMemoryState('bench', { store: store.namespace('bench') });
  for (let n = 0; n < resources; ) {
    const batch = Math.min(2000, resources - n);
    await Promise.all(Array.from({ length: batch }, () => state.create(machine(`machine-${n}`, n++))));
  }
  await state.close();
  await store.close();
}

async function load(folder: string): Promise<Loaded> {
  const stdout = await runChild(process.execPath, ['--expose-gc', loadProcess, folder]);
  return JSON.parse(stdout) as Loaded;
}

interface Medians {
  readonly perSecond: number;
  readonly openMs: number;
  readonly listMs: number;
  readonly residentMiB: number;
  readonly heapBytes: number;
}

async function medians(runs: number, once: () => Promise<Loaded>): Promise<Medians> {
  const all: Loaded[] = [];
  for (let run = 0; run < runs; run++) all.push(await once());
  const of = (value: (loaded: Loaded) => number) => median(all.map(value));
  return {
    perSecond: of(({ resources, openMs, loadMs }) => resources / ((openMs + loadMs) / 1000)),
    openMs: of(({ openMs }) => openMs),
    listMs: of(({ listMs = 0 }) => listMs),
    residentMiB: of(({ residentBytes }) => residentBytes / 1024 / 1024),
    heapBytes: of(({ heapBytes, resources }) => heapBytes / resources),
  };
}

/** B5 and B8: opening and loading what is stored, in a process of its own. */
export async function durableLoad(
  base: string,
  sizes: readonly number[],
  runs: number,
  peer: Peer | undefined,
  report: (row: Row) => void,
): Promise<void> {
  const rates: number[] = [];
  for (const resources of sizes) {
    const folder = await mkdtemp(join(base, 'load-'));
    try {
      await fill(folder, resources);
      const mine = await medians(runs, () => load(folder));
      await peer?.run('fill', folder, String(resources));
      const theirs = peer === undefined ? undefined : await medians(runs, () => peer.run<Loaded>('load', folder));
      rates.push(mine.perSecond);
      const add = (id: string, what: string, unit: string, name: keyof Medians, compared = true) => {
        const against = theirs === undefined || !compared ? [] : [{ name: 'Go with bbolt', value: theirs[name] }];
        const size = `${resources.toLocaleString('en')} resources`;
        report({ id, what, size, value: mine[name], unit, against });
      };
      add('B5', 'open and load, with as many events in the log', 'resources/s', 'perSecond');
      add('B5', 'opening alone: the checks of all files', 'ms', 'openMs', false);
      add('B5', 'first list of all, which makes the resources', 'ms', 'listMs', false);
      add('B5', 'resident memory at most', 'MiB', 'residentMiB');
      add('B8', 'live memory of a resource', 'bytes', 'heapBytes');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const [smallest, largest] = [rates[0] as number, rates.at(-1) as number];
  if (rates.length > 1) {
    const what = 'growth: the rate at the largest size, by that at the smallest';
    report({ id: 'B5', what, size: '', value: largest / smallest, unit: '×' });
  }
}
