import type { FaultProxy } from '@cosi-ts/faults';
import type { Seeded } from '@cosi-ts/harness';
import type { ServedState } from '../our-servers.js';

/** What can come between a client and a server, and be over again. */
export interface Fault {
  readonly name: string;
  /** The server is away meanwhile, for everyone. */
  readonly serverAway: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** How long a fault lasts that is not over at once. */
const lastingMs = [20, 100, 400] as const;

/** The faults that clients of Go claim to survive, on the way through a proxy to a server. */
export function faultsOf(proxy: FaultProxy, server: ServedState, reopens: boolean): readonly Fault[] {
  const moment = (name: string, strike: () => void): Fault => ({
    name,
    serverAway: false,
    begin: async () => strike(),
    end: async () => undefined,
  });
  return [
    moment('connections are cut', () => proxy.cut()),
    moment('connections are reset', () => proxy.reset()),
    {
      name: 'nothing passes for a while',
      serverAway: false,
      begin: async () => proxy.pause(),
      end: async () => proxy.resume(),
    },
    {
      name: 'connections are reset, and new ones refused for a while',
      serverAway: false,
      begin: async () => {
        proxy.refuseNew();
        proxy.reset();
      },
      end: async () => proxy.acceptNew(),
    },
    {
      name: 'the server goes and comes back',
      serverAway: true,
      begin: () => server.pause(),
      end: () => server.resume(),
    },
    ...(reopens
      ? [
          {
            name: 'the state is closed and opened again',
            serverAway: true,
            begin: () => server.pause(),
            end: () => server.reopen(),
          },
        ]
      : []),
  ];
}

/** Lets one fault happen. What is given is done while it lasts, unless the server is away. */
export async function strike(fault: Fault, random: Seeded, meanwhile: () => Promise<void>): Promise<void> {
  await fault.begin();
  if (!fault.serverAway) await meanwhile();
  await new Promise((resolve) => setTimeout(resolve, random.pick(lastingMs)));
  await fault.end();
}
