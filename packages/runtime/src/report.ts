import type { Kind, Pointer } from '@cosi-ts/resource';
import type { BridgeReport } from './bridges/bridge.js';
import type { Health } from './health.js';
import type { DeclaredInput } from './inputs.js';
import type { Output } from './outputs.js';
import type { TaskReport } from './tasks/task.js';

/** How a runtime and all in it are doing: plain data, taken at one moment. */
export interface RuntimeReport {
  readonly status: 'new' | 'running' | 'stopping' | 'stopped';
  /** In the order of registration. */
  readonly controllers: readonly ControllerReport[];
  /** The kinds that are watched on behalf of controllers, in the order of namespace and type. */
  readonly watches: readonly WatchReport[];
  /** The kinds that are cached, in the order of namespace and type. */
  readonly caches: readonly CacheReport[];
  /** Those that were included, and those of controllers that run. */
  readonly tasks: readonly TaskSetReport[];
  readonly bridges: readonly BridgeReport[];
  readonly loop: LoopReport;
  /** All of the above in one list, each part starting, live, or degraded with the reason. */
  readonly health: Health;
}

/** The tasks of one task runner. */
export interface TaskSetReport {
  readonly name: string;
  readonly tasks: readonly TaskReport[];
}

/** How punctual the event loop is while controllers work. */
export interface LoopReport {
  /** How late it was when it was looked at last. */
  readonly lagMs: number;
  /** How often it was held up for a quarter of a second or more since the start. */
  readonly holds: number;
  readonly lastHold: LoopHold | undefined;
  readonly longestHold: LoopHold | undefined;
}

export interface LoopHold {
  /** Who held it. Undefined when it was none of the controllers, or a callback of one. */
  readonly controller: string | undefined;
  readonly heldMs: number;
  /** When it was let go; RFC 3339. */
  readonly at: string;
}

export interface ControllerReport {
  readonly name: string;
  readonly kind: 'controller' | 'queue-controller';
  readonly inputs: readonly InputReport[];
  readonly outputs: readonly Output[];
  /**
   * Waiting: registered with a runtime that does not run. Standby: another runtime leads, or none does yet. Ended: its run returned while the runtime runs. Stuck: it did
   * not end within the grace time.
   */
  readonly status: 'waiting' | 'standby' | 'running' | 'ended' | 'stopping' | 'stopped' | 'stuck';
  /** How often its run, or its run hook, was started again after it threw. */
  readonly restarts: number;
  /** The latest failure of any part of it. */
  readonly lastError: ReportedError | undefined;
  /** True while its run, or its run hook, waits to be started again after it threw. */
  readonly isRestarting: boolean;
  /** When work of it began or ended last; RFC 3339. */
  readonly lastActivity: string | undefined;
  /** Items that could be worked on now. Without a queue: 1 when an event has not been taken yet. */
  readonly queueLength: number;
  /** Items that wait for a backoff or a requeue. Without a queue: 1 when an event is queued for later. */
  readonly waiting: number;
  /** Items that are worked on. Without a queue: 1 while an event is dealt with. */
  readonly inProgress: number;
  /** Items whose reconcile is past its deadline and has not ended yet although its signal aborted. */
  readonly overdue: readonly Pointer[];
  readonly counts: ControllerCounts;
}

export interface InputReport extends Kind {
  readonly kind: DeclaredInput['kind'];
  /** Of an input of one resource. */
  readonly id: string | undefined;
}

/** How often each thing happened since the start. */
export interface ControllerCounts {
  /** Calls of `reconcile`, or reconcile events that were taken. */
  readonly reconciled: number;
  /** Calls of `reconcile`, of mappers, or of `run` that failed, timed out ones included. */
  readonly failed: number;
  readonly timedOut: number;
  readonly skipped: number;
  /** Calls that asked to be called again. */
  readonly requeued: number;
  /** Changes of mapped inputs that were mapped. */
  readonly mappedIn: number;
  /** Primary items that mapping gave. */
  readonly mappedOut: number;
  /** How long `reconcile` went on, or events were dealt with, in all; what goes on at once counts severalfold. */
  readonly reconcileBusyMs: number;
  /** How long mapping went on in all. */
  readonly mapBusyMs: number;
  /** Errors that reached no caller: from timers and from promises that nobody awaited. */
  readonly escaped: number;
  /** Reads of the state: gets, lists, watches. */
  readonly reads: number;
  /** Writes to the state that were tried: creations, updates, destructions. */
  readonly writes: number;
}

export interface ReportedError {
  readonly message: string;
  readonly stack: string | undefined;
  /** RFC 3339. */
  readonly at: string;
  /** The resource that was worked on. */
  readonly resource: Pointer | undefined;
}

export interface WatchReport extends Kind {
  /** Starting: not yet listed. Degraded: broken, and being made anew after a backoff. */
  readonly status: 'starting' | 'live' | 'degraded';
  /** Why it is degraded. */
  readonly reason: string | undefined;
  /** How often it broke since the start. */
  readonly failures: number;
  /** When the last event or list came; RFC 3339. */
  readonly lastActivity: string | undefined;
  readonly resources: number;
}

export interface CacheReport extends Kind {
  /** Starting: not yet listed, reads wait. Degraded: its watch is broken, reads tell what was known last. Stopped: reads go to the state. */
  readonly status: WatchReport['status'] | 'stopped';
  /** Why it is degraded. */
  readonly reason: string | undefined;
  /** When the last event or list came; RFC 3339. */
  readonly lastActivity: string | undefined;
  readonly resources: number;
  /** Writes through this process that the watch has not brought yet: none for long. */
  readonly unconfirmedWrites: number;
}
