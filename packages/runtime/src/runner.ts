import type { Pointer } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { Attribution } from './attribution.js';
import type { FinalizerOwner } from './blockers.js';
import type { ReadCache } from './cache/read-cache.js';
import type { ControllerLog } from './controller-log.js';
import type { Term } from './election/term.js';
import type { ControllerInput, QueueInput } from './inputs.js';
import type { LoopWatch } from './loop-watch.js';
import type { PartRegistry } from './part-registry.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';
import type { Turns } from './turns.js';
import type { WatchHub } from './watch-hub.js';

/** What a controller's runner needs of its runtime. */
export interface RunnerHost {
  readonly state: State;
  readonly hub: WatchHub;
  readonly cache: ReadCache;
  readonly options: ResolvedRuntimeOptions;
  readonly attribution: Attribution;
  readonly turns: Turns;
  readonly loop: LoopWatch;
  readonly parts: PartRegistry;
  /** Of the controller, when it outlives its runner. Default: one of its own. */
  readonly log?: ControllerLog | undefined;
  /** Of a controller that needs to lead. */
  readonly term?: Term | undefined;
}

/** The life of one controller in a runtime, of whatever kind. */
export interface Runner extends FinalizerOwner {
  readonly name: string;
  readonly running: boolean;
  /** Resolves when the work that {@link stop} ends has ended, also after the grace time. */
  readonly ended: Promise<unknown>;
  start(): void;
  /** Ends all work and waits for it, up to the grace time. */
  stop(reason: unknown): Promise<void>;
  /** Runs the shutdown hook, up to the grace time. */
  shutdown(reason: unknown): Promise<void>;
}

/** Of a controller without a queue. */
export interface EventRunner extends Runner {
  /** See `Runtime.queueReconcile`. */
  queueReconcile(): boolean;
  /** See `ControllerHandle.replaceInputs`. */
  replaceInputs(inputs: readonly ControllerInput[]): Promise<void>;
}

/** Of a queue controller. */
export interface ItemRunner extends Runner {
  /** See `Runtime.queue`. */
  put(pointer: Pointer): boolean;
  /** See `QueueControllerHandle.replaceInputs`. */
  replaceInputs(inputs: readonly QueueInput[]): Promise<void>;
}

export function isItemRunner(runner: EventRunner | ItemRunner): runner is ItemRunner {
  return 'put' in runner;
}
