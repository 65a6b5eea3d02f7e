import { join } from 'node:path';
import { runChild } from './child-processes.js';
import type { Row } from './report.js';
import { type Restate, startRestate } from './restate.js';

const app = join(import.meta.dirname, '..', '..', '..', 'apps', 'workflow-engine');
const lengthOfChain = 10;
const parallel = 50;
/** Who makes the peer's chains: each waits for the end of one before the next. */
const callers = 256;

export interface WorkflowSize {
  readonly items: number;
  readonly chains: number;
}

/** What the program of the app prints of each load. */
interface Load {
  readonly name: 'fan-out' | 'chains';
  readonly steps: number;
  readonly ms: number;
  readonly maxRssMb: number;
}

/** B10: steps that do nothing, as one fan-out and as chains, on durable data. */
export async function workflowSteps(
  sizes: readonly WorkflowSize[],
  folder: string,
  report: (row: Row) => void,
): Promise<void> {
  await runChild('npx', ['tsup', '--config', 'tsup.bench.config.ts', '--silent'], { cwd: app });
  const started = await startRestate(folder);
  if (typeof started === 'string') console.error(`bench: workflows are not compared with Restate: ${started}`);
  const peer = typeof started === 'string' ? undefined : started;
  try {
    for (const size of sizes) {
      const own = await ownLoads(size, folder);
      for (const { name, steps, ms, maxRssMb } of own) {
        const peerMs = peer === undefined ? undefined : await peerLoad(peer, name, size);
        const against = (value: number | undefined) =>
          value === undefined ? {} : { against: [{ name: 'Restate', value }] };
        const what = name === 'fan-out' ? `fan-out, ${parallel} at once` : `chains of ${lengthOfChain}`;
        const row = { id: 'B10', what, size: `${steps.toLocaleString('en')} steps` };
        const rate = peerMs === undefined ? undefined : steps / (peerMs / 1000);
        report({ ...row, value: ms / 1000, unit: 's', ...against(peerMs === undefined ? undefined : peerMs / 1000) });
        report({ ...row, value: steps / (ms / 1000), unit: 'steps/s', ...against(rate) });
        const peerMb = peer === undefined ? undefined : (await peer.maxResidentBytes()) / 2 ** 20;
        report({ ...row, what: `${what}: most memory so far`, value: maxRssMb, unit: 'MiB', ...against(peerMb) });
      }
    }
  } finally {
    await peer?.close();
  }
}

/** A process of its own for each size, so that none has the memory of another. */
async function ownLoads({ items, chains }: WorkflowSize, folder: string): Promise<readonly Load[]> {
  const args = ['--items', items, '--parallel', parallel, '--chains', chains, '--durable', '--json'].map(String);
  const stdout = await runChild(process.execPath, [join(app, 'dist/bench/main.js'), ...args], {
    env: { ...process.env, TMPDIR: folder },
  });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Load);
}

async function peerLoad(peer: Restate, name: Load['name'], { items, chains }: WorkflowSize): Promise<number> {
  const begin = performance.now();
  if (name === 'fan-out') await peer.call('fanOut', { items, parallel });
  else {
    let left = chains;
    const caller = async () => {
      while (left-- > 0) await peer.call('chain', { steps: lengthOfChain });
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }
  return performance.now() - begin;
}
