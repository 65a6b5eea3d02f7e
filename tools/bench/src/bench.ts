// Runs benchmarks, prints one table, and writes the values as JSON.

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { misuse, readCommandLine } from '@cosi-ts/harness';
import { durableLoad } from './durable-load.js';
import { durableWrites } from './durable-writes.js';
import { fanOut, type Updates } from './fan-out.js';
import { buildPeer, type Peer } from './peer.js';
import { queueLatency, queueThrough } from './queue.js';
import { remoteCalls, remoteList } from './remote-calls.js';
import { manyRemoteWatchers, remoteWatches } from './remote-watches.js';
import { type Row, table } from './report.js';
import { workflowSteps } from './workflow.js';

interface Settings {
  /** Where folders can be made. */
  readonly folder: string;
  readonly quick: boolean;
  /** Undefined where there is no Go. */
  readonly peer: Peer | undefined;
}

/** Benchmarks that belong together, by the name they are asked for with. */
const suites: Readonly<Record<string, (settings: Settings, report: (row: Row) => void) => Promise<void>>> = {
  durable: async ({ folder, quick, peer }, report) => {
    await durableWrites(folder, quick ? 1 : 4, peer, report);
    await durableLoad(folder, quick ? [100_000] : [100_000, 1_000_000], quick ? 1 : 3, peer, report);
  },
  fanout: async ({ quick, peer }, report) => {
    await fanOut(quick ? quickUpdates : updates, quick ? 1 : 3, peer, report);
  },
  queue: async ({ quick, peer }, report) => {
    await queueThrough(quick ? [10_000] : [10_000, 30_000, 100_000], quick ? 1 : 3, peer, report);
    await queueLatency(quick ? [0, 10_000] : [0, 100_000], quick ? 1 : 3, quick ? 1 : 3, peer, report);
  },
  remote: async ({ quick, peer }, report) => {
    await remoteCalls(quick ? 1 : 4, peer, report);
    await remoteList(quick ? 10_000 : 100_000, peer, report);
    await remoteWatches(quick ? { 1: 10_000, 100: 500 } : { 1: 50_000, 100: 4000 }, peer, report);
    await manyRemoteWatchers(1000, quick ? 500 : 10_000, report);
  },
  workflow: async ({ folder, quick }, report) => {
    const full = { items: 10_000, chains: 1000 };
    await workflowSteps(quick ? [{ items: 500, chains: 50 }] : [{ items: 2500, chains: 250 }, full], folder, report);
  },
};

const updates: Updates = [
  [1, 200_000],
  [100, 20_000],
  [1000, 5000],
  [10_000, 1000],
];
const quickUpdates: Updates = [
  [1, 20_000],
  [100, 2000],
  [1000, 500],
  [10_000, 100],
];

const { values, positionals } = readCommandLine(
  `npm run bench -- [SUITE…] [--quick] [--folder ${tmpdir()}] [--json reports/bench.json]

Suites: ${Object.keys(suites).join(', ')}. Without a name all of them are run. --quick: shorter and smaller, to see that
it works. --folder: where data is written, on the disk that is to be measured.`,
  {
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      folder: { type: 'string', default: tmpdir() },
      json: { type: 'string', default: 'reports/bench.json' },
    },
  },
);

const names = positionals.length > 0 ? positionals : Object.keys(suites);
const unknown = names.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) misuse(`there is no suite ${unknown.join(', ')}, but ${Object.keys(suites).join(', ')}`);

const folder = await mkdtemp(join(values.folder, 'bench-'));
// The children have been ended by then: their handler comes first.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const built = await buildPeer(folder);
if (typeof built === 'string') console.error(`bench: not compared with the Go implementation: ${built}`);
const peer = typeof built === 'string' ? undefined : built;
const rows: Row[] = [];
for (const name of names) {
  await suites[name]?.({ folder, quick: values.quick, peer }, (row) => {
    rows.push(row);
    console.error(`bench: ${row.id} ${row.what}, ${row.size}`);
  });
}
const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
await mkdir(dirname(values.json), { recursive: true });
await writeFile(values.json, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
console.log(`\n${table(rows)}\n\n${machine}`);
