import type { State } from '@cosi-ts/state';
import type { Attribution } from './attribution.js';
import type { ControllerReport } from './report.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';
import type { Turns } from './turns.js';
import type { WatchHub } from './watch-hub.js';

/** What a controller's runner needs of its runtime. */
export interface RunnerHost {
  readonly state: State;
  readonly hub: WatchHub;
  readonly options: ResolvedRuntimeOptions;
  readonly attribution: Attribution;
  readonly turns: Turns;
}

/** The life of one controller in a runtime, of whatever kind. */
export interface Runner {
  readonly name: string;
  readonly running: boolean;
  start(): void;
  /** Ends all work and waits for it, up to the grace time. */
  stop(reason: unknown): Promise<void>;
  /** Runs the shutdown hook, up to the grace time. */
  shutdown(reason: unknown): Promise<void>;
  report(): ControllerReport;
}
