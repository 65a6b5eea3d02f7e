import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import { median, type Row } from './report.js';
import { machine, marshaler } from './subject.js';

const loadProcess = fileURLToPath(new URL('./load-process.js', import.meta.url));

/** What a process measured that opened and loaded a store. */
export interface Loaded {
  readonly resources: number;
  readonly openMs: number;
  readonly loadMs: number;
  /** Live memory of JavaScript and of its buffers, after a collection, beyond that before. */
  readonly heapBytes: number;
  /** What the process had at most, by the operating system. */
  readonly residentBytes: number;
}

async function fill(folder: string, resources: number, keepEvents: boolean): Promise<void> {
  const store = await openLevelDBStore(folder, {
    marshaler: marshaler,
    durability: 'os',
    log: { maxEvents: keepEvents ? 10_000_000 : 1, slack: 0.1 },
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
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', loadProcess, folder]);
  return JSON.parse(stdout) as Loaded;
}

/** B5 and B8: opening and loading what is stored, in a process of its own. */
export async function durableLoad(
  base: string,
  sizes: readonly number[],
  runs: number,
  report: (row: Row) => void,
): Promise<void> {
  const rates: number[] = [];
  for (const resources of sizes) {
    const folder = await mkdtemp(join(base, 'load-'));
    try {
      await fill(folder, resources, true);
      const all: Loaded[] = [];
      for (let run = 0; run < runs; run++) all.push(await load(folder));
      const of = (value: (loaded: Loaded) => number) => median(all.map(value));
      const size = `${resources.toLocaleString('en')} resources, as many events`;
      const rate = resources / (of(({ openMs, loadMs }) => openMs + loadMs) / 1000);
      rates.push(rate);
      report({ id: 'B5', what: 'open and load', size, value: rate, unit: 'resources/s' });
      report({
        id: 'B5',
        what: 'opening alone, checks of the files',
        size,
        value: of(({ openMs }) => openMs),
        unit: 'ms',
      });
      const mebibytes = (bytes: number) => bytes / 1024 / 1024;
      report({
        id: 'B5',
        what: 'resident memory at most',
        size,
        value: mebibytes(of((each) => each.residentBytes)),
        unit: 'MiB',
      });
      report({
        id: 'B8',
        what: 'live memory',
        size,
        value: of(({ heapBytes }) => heapBytes) / resources,
        unit: 'B/resource',
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const [smallest, largest] = [rates[0] as number, rates.at(-1) as number];
  if (rates.length > 1) {
    report({
      id: 'B5',
      what: 'rate at the largest size to that at the smallest',
      size: '',
      value: largest / smallest,
      unit: '×',
    });
  }
}
