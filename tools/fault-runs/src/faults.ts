// Plays faults between a durable server and the watches and the runtime on it. The last line sums up.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, wholeNumber } from '@cosi-ts/harness';
import { Campaign } from './campaign.js';
import { DurableServer } from './durable-server.js';
import { measureSilence, measureVanishing } from './measures.js';

const { values } = readCommandLine(
  `npm run faults -- [--faults 100] [--seed N]

Watches and a runtime are connected to a durable server through a proxy that holds, slows, cuts and resets; the server is
killed with SIGKILL and started again. Writers write all the time. What the watches gave is compared with the state's own
history in the end. The same seed gives the same faults; the moments are never the same.`,
  {
    options: {
      faults: { type: 'string', default: '100' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  },
);

const faults = wholeNumber('faults', values.faults, 1);
const seed = wholeNumber('seed', values.seed, 0);
const folder = await mkdtemp(join(tmpdir(), 'faults-'));
console.log(`faults: ${faults} faults with seed ${seed}, in ${folder}`);

const problems: string[] = [];
let summary = '';
{
  await using campaign = await Campaign.start(join(folder, 'played'), seed);
  try {
    for (let i = 1; i <= faults && campaign.problems.length === 0; i++) {
      await campaign.fault();
      if (i % 10 === 0 || i === faults) console.log(`faults: ${i} faults: ${campaign.progress}`);
    }
    await campaign.finish();
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  problems.push(...campaign.problems);
  summary = campaign.progress;
}
if (problems.length === 0) {
  // A server of its own, which nobody else is connected to.
  await using server = await DurableServer.start(join(folder, 'measured'));
  for (const measure of [measureVanishing, measureSilence]) {
    const { what, problems: found } = await measure(server);
    console.log(`faults: ${what}`);
    problems.push(...found);
  }
}

for (const problem of problems.slice(0, 20)) console.log(`faults: ${problem}`);
const failed = problems.length > 0;
if (failed) {
  console.log(`faults: the store is kept in ${folder}`);
  console.log(`faults: again: npm run faults -- --faults ${faults} --seed ${seed}`);
} else await rm(folder, { recursive: true, force: true });
console.log(`faults: ${summary}; ${problems.length} problems: ${failed ? 'FAILED' : 'passed'}`);
process.exit(failed ? 1 : 0);
