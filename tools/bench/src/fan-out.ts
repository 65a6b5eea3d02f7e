import { fileURLToPath } from 'node:url';
import { runChild } from './child-processes.js';
import type { FannedOut } from './fan-out-process.js';
import type { Peer } from './peer.js';
import { median, type Row } from './report.js';

const program = fileURLToPath(new URL('./fan-out-process.js', import.meta.url));

async function ofOurs(args: readonly string[]): Promise<FannedOut> {
  const stdout = await runChild(process.execPath, ['--expose-gc', program, ...args]);
  return JSON.parse(stdout) as FannedOut;
}

/** How many updates are made, by the number of watchers. */
export type Updates = readonly (readonly [watchers: number, updates: number])[];

/** B3: one writer, and watchers in the same process. Medians of runs that take turns with the peer's. */
export async function fanOut(
  updates: Updates,
  runs: number,
  peer: Peer | undefined,
  report: (row: Row) => void,
): Promise<void> {
  for (const shape of ['single', 'aggregated'] as const) {
    const writes: number[] = [];
    for (const [watchers, count] of updates) {
      const args = [String(watchers), String(count), shape];
      const ours: FannedOut[] = [];
      const theirs: FannedOut[] = [];
      for (let run = 0; run < runs; run++) {
        ours.push(await ofOurs(args));
        if (peer !== undefined) theirs.push(await peer.run<FannedOut>('fanout', ...args));
      }
      const size = `${watchers.toLocaleString('en')} watcher${watchers > 1 ? 's' : ''}, ${count.toLocaleString('en')} updates`;
      const add = (what: string, unit: string, of: keyof FannedOut) => {
        const value = median(ours.map((each) => each[of]));
        const against = peer === undefined ? [] : [{ name: 'Go', value: median(theirs.map((each) => each[of])) }];
        report({
          id: 'B3',
          what: `${what}, ${shape === 'single' ? 'one by one' : 'aggregated'}`,
          size,
          value,
          unit,
          against,
        });
        return value;
      };
      add('deliveries to watchers', 'deliveries/s', 'deliveriesPerSecond');
      writes.push(add('writes meanwhile', 'writes/s', 'writesPerSecond'));
    }
    const what = `writes with the most watchers, by those with one, ${shape === 'single' ? 'one by one' : 'aggregated'}`;
    report({ id: 'B3', what, size: '', value: (writes.at(-1) as number) / (writes[0] as number), unit: '×' });
  }
}
