import type { SimulationOptions } from './hypervisor/simulation-options.js';
import type { LoggerOptions } from './logger.js';
import type { DataOptions } from './storage/data-options.js';

/** Everything that can be set about the app. */
export interface AppOptions {
  /** Where HTTP is served. Port 0 takes a free one. */
  readonly host: string;
  readonly port: number;
  /** Where the State service is, as `host:port`. */
  readonly stateAddress: string;
  /** Names by which the HTTP server may be addressed, beside IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
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
