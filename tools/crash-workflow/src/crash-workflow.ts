// Kills the workflow engine at random moments, and checks what its steps did. The last line sums up.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, Seeded, wholeNumber } from '@cosi-ts/harness';
import { Campaign } from './campaign.js';

const { values } = readCommandLine(
  `npm run crash:workflow -- [--rounds 20] [--seed N]

The workflow engine executes a mixed load on durable data, is killed with SIGKILL at random moments and started again.
What its steps do is written down outside of the engine, and compared with what the engine says of them. The same seed
gives the same orders; the moments are never the same. What fails leaves its folder behind.`,
  {
    options: {
      rounds: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  },
);

const rounds = wholeNumber('rounds', values.rounds, 1);
const seed = wholeNumber('seed', values.seed, 0);
if (!existsSync('/proc/self/environ')) throw new Error('processes are found by /proc, which is not here');

/** After so many rounds everything comes to its end and is looked at, and new data begins. */
const roundsOfCampaign = 20;

const folder = await mkdtemp(join(tmpdir(), 'crash-workflow-'));
const random = new Seeded(seed);
const problems: string[] = [];
let runs = 0;
let attempts = 0;
let failedFolder: string | undefined;

console.log(`crash-workflow: ${rounds} rounds with seed ${seed}, in ${folder}`);
for (let begin = 0; begin < rounds && problems.length === 0; begin += roundsOfCampaign) {
  const campaign = new Campaign(join(folder, `campaign-${begin / roundsOfCampaign}`), random);
  const end = Math.min(rounds, begin + roundsOfCampaign);
  let round = begin;
  try {
    for (; round < end && problems.length === 0; round++) {
      problems.push(...(await campaign.round()));
      if ((round + 1) % 5 === 0) console.log(`crash-workflow: ${round + 1} rounds, ${runs + campaign.runs} runs`);
    }
    if (problems.length === 0) problems.push(...(await campaign.settle()));
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    campaign.close();
  }
  runs += campaign.runs;
  attempts += campaign.attempts;
  console.log(`crash-workflow: after ${round} rounds: ${runs} runs, ${attempts} attempts, ${problems.length} problems`);
  if (problems.length > 0) failedFolder = campaign.folder;
  else await rm(campaign.folder, { recursive: true, force: true });
}

for (const problem of problems.slice(0, 20)) console.log(`crash-workflow: ${problem}`);
if (failedFolder === undefined) await rm(folder, { recursive: true, force: true });
else {
  console.log(`crash-workflow: look at ${failedFolder}:
  effects        what the attempts told, in its order, with the moments of the kills
  snapshot.json  what the engine held at the end
  engine.log     what the engines logged
  data           the data, which the engine can be started with (--data), and the logs of the attempts
crash-workflow: the same orders again: --seed ${seed}`);
}
console.log(
  `crash-workflow: ${rounds} rounds, ${runs} runs, ${attempts} attempts, ${problems.length} problems in all: ` +
    `${problems.length > 0 ? 'FAILED' : 'passed'}`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
