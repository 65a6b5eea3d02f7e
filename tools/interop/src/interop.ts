// Tries this project and the Go implementation on each other. The last lines are a table of what was run, and a summary.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, wholeNumber } from '@cosi-ts/harness';
import { startControlServer } from './control-server.js';
import { generateGoCode, goCode } from './go-code.js';
import { GoPeer } from './go-peer.js';
import { buildGoPrograms, findGo, type GoPrograms, goModuleVersion } from './go-programs.js';
import { runSuites } from './schedule.js';
import { dataFile, makeStoredData } from './stored-formats.js';
import { suiteGroups } from './suites.js';
import { type SuiteResult, summaryOf, tableOf, withTable } from './table.js';

const { values } = readCommandLine(
  `npm run interop -- [--only PATTERN] [--at-once 4] [--seed N] [--write] [--write-data] [--generate]

Runs our conformance suite against servers of the Go implementation, its suites against ours, exchanges resources in both
directions, runs controllers of both side by side, and breaks connections between the two. Needs Go; without it, it says
so and does nothing.

  --only PATTERN   suites whose name, direction or backend match this regular expression
  --at-once N      so many suites at the same time
  --seed N         repeat the faults of a run that failed
  --write          keep the table in tools/interop/README.md
  --write-data     have the Go implementation write tools/interop/data anew, and run nothing
  --generate       generate the Go code of the .proto files anew, and run nothing`,
  {
    options: {
      only: { type: 'string', default: '' },
      'at-once': { type: 'string', default: '4' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      write: { type: 'boolean', default: false },
      generate: { type: 'boolean', default: false },
      'write-data': { type: 'boolean', default: false },
    },
  },
);

const atOnce = wholeNumber('at-once', values['at-once'], 1);
const seed = wholeNumber('seed', values.seed, 0);
const only = new RegExp(values.only, 'i');
const readme = new URL('../README.md', import.meta.url);
const say = (line: string) => console.log(`interop: ${line}`);

async function runAll(programs: GoPrograms): Promise<readonly SuiteResult[]> {
  await using control = await startControlServer();
  await using peer = await GoPeer.start(programs.peer);
  await using stranger = await GoPeer.start(programs.peer);
  const groups = suiteGroups({ programs, control, peer, stranger, seed }).map((suites) =>
    suites.filter(({ name, direction, backend }) => only.test(`${name} (${direction}, ${backend})`)),
  );
  if (groups.every((suites) => suites.length === 0)) throw new RangeError(`no suite matches ${only}`);
  const results: SuiteResult[] = [];
  for (const suites of groups) results.push(...(await runSuites(suites, atOnce, say)));
  return results;
}

function report(results: readonly SuiteResult[]): void {
  for (const { suite, outcomes } of results) {
    for (const { title, verdict, note } of outcomes) {
      if (verdict === 'failed')
        console.log(`\nFAILED ${suite.name} (${suite.direction}, ${suite.backend}): ${title}\n${note}`);
    }
  }
  console.log(`\n${tableOf(results)}\n`);
}

const go = await findGo();
if (go === undefined) {
  say("skipped: there is no Go here (Debian's package is golang-go)");
  process.exit(0);
}

if (values.generate) {
  await generateGoCode(go);
  say(`generated ${goCode}`);
  process.exit(0);
}

const folder = await mkdtemp(join(tmpdir(), 'cosi-interop-'));
try {
  const begin = performance.now();
  const took = () => `${((performance.now() - begin) / 1000).toFixed(0)} s`;
  say('build the Go programs …');
  const programs = await buildGoPrograms(go, folder);
  say(`build the Go programs: done in ${took()}`);
  if (values['write-data']) {
    await writeFile(
      dataFile,
      `${JSON.stringify(makeStoredData(programs.peer, await goModuleVersion()), undefined, 2)}\n`,
    );
    say('wrote tools/interop/data');
  } else {
    say(`seed ${seed}`);
    const results = await runAll(programs);
    report(results);
    const failed = results.some(({ outcomes }) => outcomes.some(({ verdict }) => verdict === 'failed'));
    if (values.write) await writeFile(readme, withTable(await readFile(readme, 'utf8'), tableOf(results)));
    say(`${summaryOf(results)}, in ${took()}: ${failed ? 'FAILED' : 'passed'}`);
    process.exitCode = failed ? 1 : 0;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
