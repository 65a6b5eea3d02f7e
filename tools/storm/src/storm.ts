// Hammers the state under a runtime with twenty controllers: in memory, then remote with a server that is killed. The last
// line sums up.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readCommandLine, wholeNumber } from '@cosi-ts/harness';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { type ConnectStateOptions, connectState, type RemoteState } from '@cosi-ts/transport';
import { DurableServer } from './durable-server.js';
import { type StormResult, storm } from './storm-run.js';

const { values } = readCommandLine(
  `npm run storm -- [--changes 100000] [--kills 20] [--seed N]

A runtime with twenty controllers of every kind works on a state that keeps ten events, while eight writers make so many
changes as fast as they can. In the end the outputs are compared with what a plain computation gives. Then the same on a
remote state, whose durable server is killed with SIGKILL so many times and started again. The same seed gives the same
changes; the moments are never the same.`,
  {
    options: {
      changes: { type: 'string', default: '100000' },
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  },
);

const changes = wholeNumber('changes', values.changes, 1);
const kills = wholeNumber('kills', values.kills, 0);
const seed = wholeNumber('seed', values.seed, 0);
const keptEvents = 10;
const say = (line: string) => console.log(`storm: ${line}`);

/** What a controller throws itself. */
const isOwn = (trouble: string) => /^Flaky: failed: no luck /.test(trouble);

/**
 * What becomes of a write that is under way when the server is killed, to what nobody owns: whether it was made cannot be
 * told, and its item is worked on anew. All else goes on as if nothing had happened.
 */
const isDoubt = (trouble: string) => /^(Crumbler|Sweeper|Destroy\[.*\]): .*: unavailable \(\d+\)$/.test(trouble);

async function inMemory(): Promise<StormResult> {
  const state = new InMemoryState({ history: { maxEvents: keptEvents } });
  return storm({
    changes,
    seed,
    core: state,
    connect: () => state,
    isExpected: isOwn,
    say: (line) => say(`in memory: ${line}`),
  });
}

/** Waits until the server is there again, tries again soon, and notices soon that nobody is there. */
const clientOptions: ConnectStateOptions = {
  waitForReadyMs: 60_000,
  resumeBackoff: { initialMs: 20, maxMs: 500 },
  keepalive: { intervalMs: 1000, timeoutMs: 5000 },
  connectTimeoutMs: 3000,
};

async function remote(folder: string): Promise<StormResult> {
  await using server = await DurableServer.start({ folder, keptEvents });
  const clients: RemoteState[] = [];
  const connect = () => {
    const client = connectState(server.url, clientOptions);
    clients.push(client);
    return client;
  };
  const result = await storm({
    changes,
    seed,
    core: connect(),
    connect,
    isExpected: (trouble) => isOwn(trouble) || isDoubt(trouble),
    say: (line) => say(`remote: ${line}`),
    async meanwhile(done, signal) {
      for (let killed = 0; killed < kills; killed++) {
        // Spread over the time, as far as changes are left.
        while (done() < (killed + 0.5) / kills && !signal.aborted) await delay(20);
        await server.killAndRestart();
        say(`remote: killed and started again, ${killed + 1} of ${kills}`);
      }
    },
  });
  await Promise.all(clients.map((client) => client.close()));
  return result;
}

const folder = await mkdtemp(join(tmpdir(), 'storm-'));
say(`${changes} changes with seed ${seed}, then as many with ${kills} kills, in ${folder}`);
const results: (readonly [what: string, result: StormResult])[] = [];
for (const [what, run] of [
  ['in memory', inMemory],
  ['remote', () => remote(join(folder, 'store'))],
] as const) {
  const result = await run();
  results.push([what, result]);
  say(`${what}: ${result.summary}`);
  for (const problem of result.problems.slice(0, 30)) say(`${what}: PROBLEM ${problem}`);
}
const problems = results.reduce((sum, [, result]) => sum + result.problems.length, 0);
if (problems > 0) {
  say(`the store is kept in ${folder}`);
  say(`again: npm run storm -- --changes ${changes} --kills ${kills} --seed ${seed}`);
} else await rm(folder, { recursive: true, force: true });
const total = results.reduce((sum, [, result]) => sum + result.changes, 0);
say(`20 controllers, ${total} changes, ${kills} kills; ${problems} problems: ${problems > 0 ? 'FAILED' : 'passed'}`);
process.exit(problems > 0 ? 1 : 0);
