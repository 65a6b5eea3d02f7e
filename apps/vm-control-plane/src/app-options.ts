import type { DataOptions, LoggerOptions, ServerOptions } from '@cosi-ts/app-kit';
import type { SimulationOptions } from './hypervisor/simulation-options.js';

/** Everything that can be set about the app. */
export interface AppOptions extends ServerOptions {
  /** Files of manifests to apply at the start. */
  readonly manifests: readonly string[];
  readonly prune: boolean;
  /** Add three hosts when there is none, neither in the state nor in a manifest. */
  readonly defaultHosts: boolean;
  /** How resources are kept. Undefined: in memory, until the process ends. */
  readonly data: DataOptions | undefined;
  /** Where the simulated hypervisor keeps its machines. Undefined: in memory. */
  readonly hypervisorFile: string | undefined;
  /** The network that machines have their addresses from. */
  readonly network: string;
  readonly simulation: SimulationOptions;
  /** Makes the simulated hypervisor's chance repeatable. */
  readonly seed: number | undefined;
  readonly log: LoggerOptions;
  /** The folder of the built page; undefined: no page. */
  readonly page: string | undefined;
}
