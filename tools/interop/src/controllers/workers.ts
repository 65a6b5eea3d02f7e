import { type Logger, Runtime } from '@cosi-ts/runtime';
import type { State } from '@cosi-ts/state';
import type { GoPeer } from '../go-peer.js';
import { type ControllerName, ourControllers } from './our-controllers.js';

const silence = () => undefined;

/** Conflicts and broken connections are what is wanted here. */
const silent: Logger = { debug: silence, info: silence, warn: silence, error: silence, child: () => silent };

/** A runtime of one implementation that runs some of the controllers. */
export interface Workers {
  /** Ends the runtime. Rejects when it had failed before. */
  stop(): Promise<void>;
}

export async function goWorkers(peer: GoPeer, address: string, names: readonly ControllerName[]): Promise<Workers> {
  const id = await (await peer.ask('POST', `/clients/${address}/runtimes`, names)).text();
  return {
    stop: async () => {
      await (await peer.ask('DELETE', `/runtimes/${id}`)).text();
    },
  };
}

export async function ourWorkers(state: State, names: readonly ControllerName[]): Promise<Workers> {
  const runtime = new Runtime(state, { logger: silent });
  for (const name of names) ourControllers[name](runtime);
  const end = new AbortController();
  const running = runtime.run({ signal: end.signal });
  // Whoever stops it is told.
  running.catch(() => undefined);
  return {
    stop: async () => {
      end.abort();
      await running;
    },
  };
}
