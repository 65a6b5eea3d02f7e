// Attacks a server for a while, and checks how it does. The last line sums up.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { misuse, readCommandLine, Seeded, wholeNumber } from '@cosi-ts/harness';
import { type Attack, Tally } from './attack.js';
import { attacks } from './attacks/index.js';
import { Campaign, type Report } from './campaign.js';

const { values } = readCommandLine(
  `npm run fuzz -- [--minutes 10] [--seed N] [--only NAME,NAME] [--case N]

Attacks a server in a process of its own, and checks that everything is answered properly, that nothing is left
afterwards, no memory either, and that a client which works beside is not harmed. Each attack is made once at least, then each several times in a row for as long as
there is time.

Attacks: ${attacks.map(({ name }) => name).join(', ')}.

--case: makes one case of the attack that --only names. A failure says which.`,
  {
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string' },
      case: { type: 'string' },
    },
  },
);

const minutes = Number(values.minutes);
if (!(minutes >= 0)) misuse(`--minutes must be a number, not ${values.minutes}`);
const names = values.only?.split(',') ?? attacks.map(({ name }) => name);
const chosen = names.map((name) => {
  const attack = attacks.find((each) => each.name === name);
  if (attack !== undefined) return attack;
  return misuse(`there is no attack ${name}, but ${attacks.map((each) => each.name).join(', ')}`);
});
if (values.case !== undefined && chosen.length !== 1) misuse('--case needs the name of one attack, --only');

const seed = wholeNumber('seed', values.seed, 0);
const random = new Seeded(seed);
const endMs = performance.now() + minutes * 60_000;

/** How often an attack is repeated in a row, so that what each of them leaves adds up. */
const repeats = 6;

/** What memory may differ by in such a row, because caches hold more now and less then. */
const rowNoiseBytes = 3 * 1024 * 1024;

/** What the first attacks may add, because they load programs and fill caches. */
const firstNoiseBytes = 80 * 1024 * 1024;

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
/** The memory after each case. */
const live: number[] = [];
let peakBytes = 0;

function note(name: string, { tally: answers, tookMs, forgotMs, testimony, memory }: Report): void {
  cases++;
  tally.addAll(answers);
  calls += testimony?.calls ?? 0;
  longestMs = Math.max(longestMs, testimony?.longestMs ?? 0);
  forgotLastMs = Math.max(forgotLastMs, forgotMs);
  if (memory !== undefined) live.push(memory.liveBytes);
  peakBytes = Math.max(peakBytes, memory?.peakBytes ?? 0);
  const others = testimony && `others ${testimony.medianMs.toFixed(1)}/${testimony.longestMs.toFixed(0)} ms`;
  console.log(
    `fuzz: ${name} in ${seconds(tookMs)}: ${answers}; forgotten in ${seconds(forgotMs)}; ${others}; ${mebibytes(memory?.liveBytes ?? 0)} live`,
  );
}

/** False when the server or the witness has ended. */
async function attackOnce(attack: Attack, its: number): Promise<boolean> {
  const report = await campaign.run(attack, its);
  note(attack.name, report);
  if (report.problems.length === 0) return true;
  failures++;
  for (const [i, { what, sent }] of report.problems.slice(0, 10).entries()) {
    console.log(`fuzz: ${attack.name}, case ${its}: ${what}`);
    if (sent === undefined) continue;
    const path = join('reports', `fuzz-${attack.name}-${its}-${i}.bin`);
    await mkdir('reports', { recursive: true });
    await writeFile(path, sent);
    console.log(`fuzz: what was sent is in ${path}`);
  }
  console.log(`fuzz: again: npm run fuzz -- --only ${attack.name} --case ${its}`);
  return report.memory !== undefined;
}

/** Makes the attack several times, and looks whether the memory grows with each. */
async function attackInARow(attack: Attack): Promise<boolean> {
  const before = live.length;
  for (let i = 0; i < repeats; i++) if (!(await attackOnce(attack, random.below(2 ** 31)))) return false;
  const [, second = 0, third = 0, , fifth = 0, sixth = 0] = live.slice(before);
  // What a collection finds at one time it may not find at another: only what is there each time was left.
  const growth = Math.min(fifth, sixth) - Math.max(second, third);
  if (growth > rowNoiseBytes) {
    failures++;
    console.log(`fuzz: ${attack.name} leaves ${mebibytes(growth / 2)} each time`);
  }
  return true;
}

async function attackAll(): Promise<void> {
  // One alone does not fill the caches at once.
  for (let i = 0; i < Math.max(chosen.length, repeats); i++) {
    if (!(await attackOnce(chosen[i % chosen.length] as Attack, random.below(2 ** 31)))) return;
  }
  if ((live.at(-1) ?? 0) > firstNoiseBytes) {
    failures++;
    console.log(`fuzz: the server keeps ${mebibytes(live.at(-1) ?? 0)}`);
  }
  for (let i = 0; performance.now() < endMs; i++) {
    if (!(await attackInARow(chosen[i % chosen.length] as Attack))) return;
  }
}

if (values.case === undefined) await attackAll();
else await attackOnce(chosen[0] as Attack, wholeNumber('case', values.case, 0));

console.log(
  `fuzz: ${cases} cases, ${tally.total} answers (${tally}); ${calls} calls of others, the longest ${longestMs.toFixed(0)} ms; ` +
    `all forgotten within ${seconds(forgotLastMs)}; ` +
    `memory ${mebibytes(live[0] ?? 0)} after the first, ${mebibytes(live.at(-1) ?? 0)} after the last, ${mebibytes(peakBytes)} at most; ` +
    `${failures} failures: ${failures > 0 ? 'FAILED' : 'passed'}`,
);
process.exitCode = failures > 0 ? 1 : 0;
