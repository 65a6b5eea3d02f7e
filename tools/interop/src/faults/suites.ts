import { GoSide } from '../exchange/go-side.js';
import { OurSide } from '../exchange/our-side.js';
import { type GoPeer, goBackends } from '../go-peer.js';
import { type ServedState, serveOurs } from '../our-servers.js';
import { directions, type Suite } from '../outcome.js';
import { runTests, type Test } from '../test-run.js';
import { impatient, workThroughFaults } from './controllers.js';
import { faultyForms, watchThroughFaults } from './watches.js';

interface FaultyServers {
  readonly direction: string;
  readonly backend: string;
  readonly serve: () => Promise<ServedState>;
  readonly reopens: boolean;
  readonly who: 'Go' | 'ours';
}

/**
 * Watches and controllers of one side on servers of the other, through a proxy that breaks connections. A Go state that
 * is opened anew begins another stream of events: only ours come back with it.
 */
export function faultSuites(peer: GoPeer, seed: number): readonly Suite[] {
  const servers: readonly FaultyServers[] = [
    ...(['in-memory', 'LevelDB'] as const).map((backend) => ({
      direction: directions.toOurs,
      backend,
      serve: () => serveOurs(backend),
      reopens: backend !== 'in-memory',
      who: 'Go' as const,
    })),
    ...goBackends.map((backend) => ({
      direction: directions.toGo,
      backend,
      serve: () => peer.serve(backend),
      reopens: false,
      who: 'ours' as const,
    })),
  ];
  return servers.map((each) => faultSuite(peer, each, seed));
}

function faultSuite(peer: GoPeer, { direction, backend, serve, reopens, who }: FaultyServers, seed: number): Suite {
  const connect = (address: string) => (who === 'Go' ? new GoSide(peer, address) : new OurSide(address, impatient));
  const watches = faultyForms.map(
    ([name, watched]): Test => ({
      title: `${name} survives faults`,
      body: async () => {
        await using server = await serve();
        await watchThroughFaults({ server, reopens, connect, watched, seed });
      },
    }),
  );
  const work: Test = {
    title: 'controllers survive faults',
    body: async () => {
      await using server = await serve();
      await workThroughFaults(peer, { server, reopens, who, seed });
    },
  };
  const tests = [work, ...watches];
  return { name: 'faults', direction, backend, run: (onOutcome) => runTests(tests, tests.length, onOutcome) };
}
