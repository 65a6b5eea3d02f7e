import { GoSide } from '../exchange/go-side.js';
import { OurSide } from '../exchange/our-side.js';
import type { Side } from '../exchange/side.js';
import type { Servers } from '../exchange/stage.js';
import type { GoPeer } from '../go-peer.js';
import type { Suite } from '../outcome.js';
import { runTests, type Test } from '../test-run.js';
import { type ControllerName, controllerNames } from './our-controllers.js';
import type { WorkScenario } from './scenarios.js';
import { goWorkers, ourWorkers, type Workers } from './workers.js';

/** A server with controllers of both implementations, and a program of each that uses it. */
export interface WorkStage {
  readonly both: readonly [Side, Side];
  readonly user: OurSide;
  /** The runtimes, once they are started. */
  readonly workers: readonly Workers[];
  start(): Promise<void>;
  /** Starts a runtime like the one with that number, in its place. */
  startAgain(index: number): Promise<void>;
}

/** Which controllers are Go's; the others are ours. */
interface Cast {
  readonly name: string;
  readonly go: readonly ControllerName[];
}

const casts: readonly Cast[] = [
  { name: 'all controllers are ours', go: [] },
  { name: 'all controllers are Go’s', go: controllerNames },
  { name: 'Go makes invoices and destroys orders, we do the rest', go: ['invoices', 'destroyOrders'] },
  { name: 'we make invoices and destroy orders, Go does the rest', go: ['receipts', 'parcels', 'tally'] },
];

const testsAtOnce = 2;

/** Runs each scenario with each cast on servers of one make, with mixed ones only where a store is behind. */
export function workSuite(scenarios: readonly WorkScenario[], peer: GoPeer, servers: Servers): Suite {
  const { direction, backend } = servers;
  const chosen =
    backend === 'in-memory' ? casts : casts.filter(({ go }) => go.length > 0 && go.length < controllerNames.length);
  const tests = chosen.flatMap((cast) =>
    scenarios.map(
      ([title, body]): Test => ({ title: `${title} (${cast.name})`, body: () => onStage(peer, servers, cast, body) }),
    ),
  );
  return {
    name: 'controllers of both',
    direction,
    backend,
    run: (onOutcome) => runTests(tests, testsAtOnce, onOutcome),
  };
}

async function onStage(
  peer: GoPeer,
  servers: Servers,
  { go }: Cast,
  body: (stage: WorkStage) => Promise<void>,
): Promise<void> {
  await using server = await servers.serve();
  await using user = new OurSide(server.address);
  await using colleague = new OurSide(server.address);
  await using goUser = new GoSide(peer, server.address);
  const ours = controllerNames.filter((name) => !go.includes(name));
  const starts: (() => Promise<Workers>)[] = [];
  if (go.length > 0) starts.push(() => goWorkers(peer, server.address, go));
  if (ours.length > 0) starts.push(() => ourWorkers(colleague.state, ours));
  const workers: Workers[] = [];
  try {
    await body({
      both: [goUser, user],
      user,
      workers,
      async start() {
        for (const start of starts) workers.push(await start());
      },
      async startAgain(index) {
        const start = starts[index];
        if (start === undefined) throw new TypeError(`there is no runtime ${index}`);
        workers[index] = await start();
      },
    });
  } finally {
    await Promise.all(workers.map((each) => each.stop()));
  }
}
