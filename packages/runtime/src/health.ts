import { sameKind, Timestamp } from '@cosi-ts/resource';
import type { BridgeReport } from './bridges/bridge.js';
import type { CacheReport, ControllerReport, RuntimeReport, TaskSetReport, WatchReport } from './report.js';
import type { TaskReport } from './tasks/task.js';

/** Whether all is well in a runtime: plain data, taken at one moment. */
export interface Health {
  /** Live: everything is. Degraded: something is. Else something is starting. */
  readonly status: HealthStatus;
  /** Watches, caches, controllers, tasks and bridges, in this order. */
  readonly parts: readonly HealthPart[];
}

export type HealthStatus = 'starting' | 'live' | 'degraded';

export interface HealthPart {
  readonly part: 'watch' | 'cache' | 'controller' | 'task' | 'bridge';
  /** Of a watch or cache its kind as `namespace/type`; of a task the name of its runner and its id. */
  readonly name: string;
  readonly status: HealthStatus;
  /** Why it is not live. Of one that is live, undefined. */
  readonly reason: string | undefined;
  /** When it did or was told something last; RFC 3339. Undefined when it never was. */
  readonly lastActivity: string | undefined;
  /** The age of that in milliseconds. Long silence is no fault where nothing changes. */
  readonly idleMs: number | undefined;
}

type Verdict = readonly [status: HealthStatus, reason?: string | undefined];

/** @param now to tell ages by */
export function healthOf(report: Omit<RuntimeReport, 'health'>, now: Timestamp): Health {
  const part = (
    what: HealthPart['part'],
    name: string,
    [status, reason]: Verdict,
    lastActivity: string | undefined,
  ): HealthPart => ({ part: what, name, status, reason, lastActivity, idleMs: ageMs(lastActivity, now) });
  const parts = [
    ...report.watches.map((watch) =>
      part('watch', `${watch.namespace}/${watch.type}`, [watch.status, reasonOf(watch)], watch.lastActivity),
    ),
    ...report.caches.map((cache) =>
      part('cache', `${cache.namespace}/${cache.type}`, ofCache(cache), cache.lastActivity),
    ),
    ...report.controllers.map((each) =>
      part('controller', each.name, ofController(each, report.watches), each.lastActivity),
    ),
    ...report.tasks.flatMap((set: TaskSetReport) =>
      set.tasks.map((task) => part('task', `${set.name}/${task.id}`, ofTask(task), task.since)),
    ),
    ...report.bridges.map((each) => part('bridge', each.name, ofBridge(each), each.lastActivity)),
  ];
  const has = (wanted: HealthStatus) => parts.some(({ status }) => status === wanted);
  if (report.status === 'stopping' || report.status === 'stopped' || has('degraded')) {
    return { status: 'degraded', parts };
  }
  return { status: report.status === 'new' || has('starting') ? 'starting' : 'live', parts };
}

function reasonOf({ status, reason }: WatchReport): string | undefined {
  return status === 'starting' ? 'its first list has not come yet' : reason;
}

function ofCache({ status, reason }: CacheReport): Verdict {
  switch (status) {
    case 'live':
      return ['live'];
    case 'starting':
      return ['starting', 'its first list has not come yet'];
    case 'degraded':
      return ['degraded', reason];
    case 'stopped':
      return ['degraded', 'it was stopped'];
  }
}

function ofController(controller: ControllerReport, watches: readonly WatchReport[]): Verdict {
  const { status, isRestarting, lastError, overdue, inputs } = controller;
  if (status === 'waiting') return ['starting', 'the runtime does not run yet'];
  if (status !== 'running' && status !== 'standby') return ['degraded', endReasons[status]];
  if (isRestarting) return ['degraded', `waits to be started again: ${lastError?.message}`];
  if (overdue.length > 0) return ['degraded', `ignores the deadline on ${overdue.length} items`];
  const own = watches.filter((watch) => inputs.some((input) => sameKind(input, watch)));
  const broken = own.find((watch) => watch.status === 'degraded');
  if (broken !== undefined) return ['degraded', `its watch of ${broken.type} is broken: ${broken.reason}`];
  const late = own.find((watch) => watch.status === 'starting');
  return late === undefined ? ['live'] : ['starting', `${late.type} has not been listed yet`];
}

const endReasons = {
  ended: 'its run has returned',
  stopping: 'it is being stopped',
  stopped: 'it was stopped',
  stuck: 'it does not end although it was told to',
};

function ofTask({ status, lastError }: TaskReport): Verdict {
  switch (status) {
    case 'running':
      return ['live'];
    case 'waiting':
      return ['degraded', `waits to be started again: ${lastError?.message}`];
    case 'ended':
      return ['degraded', 'it has returned'];
    case 'stopping':
      return ['degraded', 'it is being stopped'];
    case 'stuck':
      return ['degraded', 'it does not end although it was told to'];
  }
}

function ofBridge({ status, lastError }: BridgeReport): Verdict {
  switch (status) {
    case 'live':
      return ['live'];
    case 'waiting':
      return ['starting', 'it does not run yet'];
    case 'starting':
      return ['starting', 'its source is not listened to yet'];
    case 'degraded':
      return ['degraded', `its source broke: ${lastError?.message}`];
    case 'ended':
      return ['degraded', 'its source has nothing more to give'];
    case 'stopped':
      return ['degraded', 'it was stopped'];
  }
}

function ageMs(time: string | undefined, now: Timestamp): number | undefined {
  if (time === undefined) return undefined;
  const { seconds, nanos } = Timestamp.parse(time);
  return Math.max(0, (now.seconds - seconds) * 1000 + Math.floor((now.nanos - nanos) / 1_000_000));
}
