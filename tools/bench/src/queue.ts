import { fileURLToPath } from 'node:url';
import { runChild } from './child-processes.js';
import type { Peer } from './peer.js';
import { type Against, median, type Row } from './report.js';

const queueProcess = fileURLToPath(new URL('./queue-process.js', import.meta.url));

export interface QueueRate {
  readonly perSecond: number;
}

/** From the creation of an input to the event of its output. */
export interface QueueLatency {
  readonly medianMs: number;
  readonly p99Ms: number;
}

async function own<T>(...args: readonly string[]): Promise<T> {
  const stdout = await runChild(process.execPath, [queueProcess, ...args]);
  return JSON.parse(stdout) as T;
}

/** Measures both in turn, so many times. */
async function both<T>(
  runs: number,
  peer: Peer | undefined,
  ...args: readonly string[]
): Promise<{ mine: T[]; theirs: T[] }> {
  const mine: T[] = [];
  const theirs: T[] = [];
  for (let run = 0; run < runs; run++) {
    mine.push(await own<T>(...args));
    if (peer !== undefined) theirs.push(await peer.run<T>(...args));
  }
  return { mine, theirs };
}

function compared<T>(theirs: readonly T[], value: (measured: T) => number): Against[] {
  return theirs.length === 0 ? [] : [{ name: 'Go', value: median(theirs.map(value)) }];
}

/** Inputs through a controller that makes an output of each, until the last one is there. */
export async function queueThrough(
  sizes: readonly number[],
  runs: number,
  peer: Peer | undefined,
  report: (row: Row) => void,
): Promise<void> {
  for (const concurrency of [1, 16]) {
    for (const inputs of sizes) {
      const { mine, theirs } = await both<QueueRate>(runs, peer, 'queue', `${inputs}`, `${concurrency}`);
      const perSecond = (measured: QueueRate) => measured.perSecond;
      report({
        id: 'B6',
        what: `qtransform, concurrency ${concurrency}`,
        size: `${inputs} inputs`,
        value: median(mine.map(perSecond)),
        unit: '/s',
        against: compared(theirs, perSecond),
      });
    }
  }
}

/** How long one fresh input waits for its output, among many, also while a backlog is worked off. */
export async function queueLatency(
  backlogs: readonly number[],
  seconds: number,
  runs: number,
  peer: Peer | undefined,
  report: (row: Row) => void,
): Promise<void> {
  const perSecond = 2000;
  for (const backlog of backlogs) {
    const { mine, theirs } = await both<QueueLatency>(
      runs,
      peer,
      'latency',
      `${backlog}`,
      '16',
      `${perSecond}`,
      `${seconds}`,
    );
    for (const [name, value] of [
      ['median', (measured: QueueLatency) => measured.medianMs],
      ['99th percentile', (measured: QueueLatency) => measured.p99Ms],
    ] as const) {
      report({
        id: 'B6',
        what: `latency through a qtransform, ${name}`,
        size: `${perSecond} changes/s, ${backlog === 0 ? 'no backlog' : `${backlog} waiting`}`,
        value: median(mine.map(value)),
        unit: 'ms',
        against: compared(theirs, value),
      });
    }
  }
}
