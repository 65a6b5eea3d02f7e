// Attacks a server for a while, and checks how it does. The last line sums up.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Seeded } from '@cosi-ts/harness';
import { Tally } from './attack.js';
import { attacks } from './attacks/index.js';
import { Campaign, type Report } from './campaign.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    case: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`npm run fuzz -- [--minutes 10] [--seed N] [--only NAME] [--case N]

Attacks a server in a process of its own, and checks that everything is answered properly, that nothing is left
afterwards, no memory either, and that a client which works beside is not harmed. Each attack is made once at least.

Attacks: ${attacks.map(({ name }) => name).join(', ')}.

--case: makes one case of the attack that --only names. A failure says which.`);
  process.exit(0);
}

function number(option: 'minutes' | 'seed' | 'case'): number {
  const value = Number(values[option]);
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`--${option} must be a number, not ${values[option]}`);
  return value;
}

const chosen = attacks.filter(({ name }) => values.only === undefined || name === values.only);
if (chosen.length === 0)
  throw new RangeError(`there is no attack ${values.only}, but ${attacks.map(({ name }) => name).join(', ')}`);
if (values.case !== undefined && chosen.length !== 1)
  throw new RangeError('--case needs the name of an attack, --only');

const seed = number('seed');
const random = new Seeded(seed);
const endMs = performance.now() + number('minutes') * 60_000;

/** What memory may differ by from one moment to another, without anything being kept. */
const noiseBytes = 24 * 1024 * 1024;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

await using campaign = await Campaign.start();
console.log(`fuzz: ${chosen.length} attacks with seed ${seed}`);

const tally = new Tally();
let cases = 0;
let failures = 0;
let calls = 0;
let longestMs = 0;
let forgotLastMs = 0;
let first: number | undefined;
let last: number | undefined;
let peakBytes = 0;

function note(name: string, { tally: answers, tookMs, forgotMs, testimony, memory }: Report): void {
  cases++;
  tally.addAll(answers);
  calls += testimony?.calls ?? 0;
  longestMs = Math.max(longestMs, testimony?.longestMs ?? 0);
  forgotLastMs = Math.max(forgotLastMs, forgotMs);
  last = memory?.liveBytes ?? last;
  peakBytes = Math.max(peakBytes, memory?.peakBytes ?? 0);
  const others = testimony && `others ${testimony.medianMs.toFixed(1)}/${testimony.longestMs.toFixed(0)} ms`;
  console.log(
    `fuzz: ${name} in ${seconds(tookMs)}: ${answers}; forgotten in ${seconds(forgotMs)}; ${others}; ${mebibytes(memory?.liveBytes ?? 0)} live`,
  );
}

async function attackOnce(at: number, pass: number): Promise<boolean> {
  const attack = chosen[at % chosen.length];
  if (attack === undefined) return true;
  const its = values.case === undefined ? random.below(2 ** 31) : number('case');
  const report = await campaign.run(attack, its);
  note(attack.name, report);
  if (report.problems.length === 0) return true;
  failures++;
  for (const [i, { what, sent }] of report.problems.slice(0, 10).entries()) {
    console.log(`fuzz: ${attack.name}, case ${its}, pass ${pass}: ${what}`);
    if (sent === undefined) continue;
    const path = join('reports', `fuzz-${attack.name}-${its}-${i}.bin`);
    await mkdir('reports', { recursive: true });
    await writeFile(path, sent);
    console.log(`fuzz: what was sent is in ${path}`);
  }
  console.log(`fuzz: again: npm run fuzz -- --only ${attack.name} --case ${its}`);
  return report.memory !== undefined;
}

let goesOn = true;
for (let pass = 0; goesOn; pass++) {
  for (let at = 0; at < chosen.length && goesOn; at++) {
    goesOn = (await attackOnce(at, pass)) && (pass === 0 || performance.now() < endMs);
    if (values.case !== undefined) goesOn = false;
  }
  // What is loaded and cached once is there after the first pass.
  first ??= last;
  goesOn &&= performance.now() < endMs;
}

const growth = (last ?? 0) - (first ?? 0);
if (growth > noiseBytes) {
  failures++;
  console.log(`fuzz: the server keeps ${mebibytes(growth)} more than after the first pass`);
}
console.log(
  `fuzz: ${cases} cases, ${tally.total} answers (${tally}); ${calls} calls of others, the longest ${longestMs.toFixed(0)} ms; ` +
    `all forgotten within ${seconds(forgotLastMs)}; ` +
    `memory ${mebibytes(first ?? 0)} after the first pass, ${mebibytes(last ?? 0)} at the end, ${mebibytes(peakBytes)} at most; ` +
    `${failures} failures: ${failures > 0 ? 'FAILED' : 'passed'}`,
);
process.exitCode = failures > 0 ? 1 : 0;
