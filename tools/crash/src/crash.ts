// Kills writers of durable stores at random moments, and checks what is left. The last line sums up.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, Seeded, wholeNumber } from '@cosi-ts/harness';
import { Campaign, type RoundProblem } from './campaign.js';
import { checkDiskFull, checkReadOnly } from './faults.js';
import { checkSyncs } from './syncs.js';
import { stacks } from './things.js';

const { values } = readCommandLine(
  `npm run crash -- [--rounds 20] [--seed N]

Writers are started on durable stores, killed with SIGKILL at random moments, and what they left is compared with what
was acknowledged to them. The same seed gives the same orders; the moments are never the same.`,
  {
    options: {
      rounds: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  },
);

const rounds = wholeNumber('rounds', values.rounds, 1);
const seed = wholeNumber('seed', values.seed, 0);

/** After so many rounds a new store begins: checking reads all of its log. */
const roundsOfCampaign = 20;

const folder = await mkdtemp(join(tmpdir(), 'crash-'));
const random = new Seeded(seed);
const problems: RoundProblem[] = [];
let acknowledged = 0;
let refusals = 0;

console.log(`crash: ${rounds} rounds with seed ${seed}, in ${folder}`);
for (const check of [checkSyncs, checkDiskFull, checkReadOnly]) {
  const { name, problems: found, skipped } = await check(folder);
  problems.push(...found);
  console.log(`crash: ${name}: ${skipped ?? (found.length === 0 ? 'ok' : `${found.length} problems`)}`);
}
for (let begin = 0; begin < rounds && problems.length === 0; begin += roundsOfCampaign) {
  const campaign = new Campaign({
    folder: await mkdtemp(join(folder, 'campaign-')),
    random,
    stack: random.pick(stacks),
    maxEvents: random.pick([200, 1_000_000]),
  });
  const end = Math.min(rounds, begin + roundsOfCampaign);
  for (let round = begin; round < end && problems.length === 0; round++) problems.push(...(await campaign.round()));
  acknowledged += campaign.acknowledged;
  refusals += campaign.refusals;
  console.log(`crash: ${end} rounds, ${acknowledged} acknowledged writes`);
}

for (const { is, what } of problems.slice(0, 20)) console.log(`crash: ${is}: ${what}`);
const count = (kind: RoundProblem['is']) => problems.filter(({ is }) => is === kind).length;
const failed = problems.length > 0;
if (failed) console.log(`crash: what was found is kept in ${folder}`);
else await rm(folder, { recursive: true, force: true });
console.log(
  `crash: ${rounds} rounds, ${acknowledged} acknowledged writes, ${count('lost')} lost, ${count('phantom')} phantom, ` +
    `${count('disorder')} out of order, ${count('wrong resume')} wrong resumes, ${refusals} later bookmarks refused by copies, ` +
    `${problems.length} problems in all: ${failed ? 'FAILED' : 'passed'}`,
);
process.exitCode = failed ? 1 : 0;
