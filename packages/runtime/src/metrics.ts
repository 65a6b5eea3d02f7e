import { type BatchObservableResult, type Meter, metrics, type Observable } from '@opentelemetry/api';
import type { ControllerReport, RuntimeReport } from './report.js';

type Read = (controller: ControllerReport) => number;

interface Instrument {
  readonly name: string;
  readonly description: string;
  readonly unit?: string;
  readonly read: Read;
}

const ofAll: readonly Instrument[] = [
  {
    name: 'cosi.controller.crashes',
    description: 'Calls of reconcile, of mappers and of run that failed',
    read: ({ counts }) => counts.failed,
  },
  {
    name: 'cosi.controller.restarts',
    description: 'Starts of run, or of the run hook, after it threw',
    read: ({ restarts }) => restarts,
  },
  {
    name: 'cosi.controller.escaped',
    description: 'Errors that came of it through timers, event handlers and promises that nobody awaited',
    read: ({ counts }) => counts.escaped,
  },
  { name: 'cosi.controller.reads', description: 'Reads of the state', read: ({ counts }) => counts.reads },
  { name: 'cosi.controller.writes', description: 'Writes to the state', read: ({ counts }) => counts.writes },
  {
    name: 'cosi.controller.reconcile.busy',
    description: 'How long work on items or events went on, in all',
    unit: 's',
    read: ({ counts }) => counts.reconcileBusyMs / 1000,
  },
];

const ofEvents: readonly Instrument[] = [
  {
    name: 'cosi.controller.wakeups',
    description: 'Reconcile events that were taken',
    read: ({ counts }) => counts.reconciled,
  },
];

const ofQueues: readonly Instrument[] = [
  {
    name: 'cosi.controller.processed',
    description: 'Calls of reconcile',
    read: ({ counts }) => counts.reconciled,
  },
  { name: 'cosi.controller.skips', description: 'Items that were skipped', read: ({ counts }) => counts.skipped },
  {
    name: 'cosi.controller.requeues',
    description: 'Calls that asked to be called again',
    read: ({ counts }) => counts.requeued,
  },
  {
    name: 'cosi.controller.timeouts',
    description: 'Calls that went on past their deadline',
    read: ({ counts }) => counts.timedOut,
  },
  {
    name: 'cosi.controller.mapped_in',
    description: 'Changes of mapped inputs that were mapped',
    read: ({ counts }) => counts.mappedIn,
  },
  {
    name: 'cosi.controller.mapped_out',
    description: 'Items that mapping gave',
    read: ({ counts }) => counts.mappedOut,
  },
  {
    name: 'cosi.controller.map.busy',
    description: 'How long mapping went on, in all',
    unit: 's',
    read: ({ counts }) => counts.mapBusyMs / 1000,
  },
];

const states: readonly (readonly [state: string, read: Read])[] = [
  ['ready', ({ queueLength }) => queueLength],
  ['waiting', ({ waiting }) => waiting],
  ['running', ({ inProgress }) => inProgress],
];

/**
 * Has a runtime's report read whenever someone collects; until then it costs nothing, and work is counted anyway. The
 * meter provider must be set by then: it gives instruments once.
 */
export function observeRuntime(
  report: () => RuntimeReport,
  meter: Meter = metrics.getMeter('@cosi-ts/runtime'),
): Disposable {
  const counter = ({ name, description, unit }: Instrument) =>
    meter.createObservableCounter(name, { description, ...(unit === undefined ? {} : { unit }) });
  const counters = (instruments: readonly Instrument[]) =>
    instruments.map((instrument) => ({ observable: counter(instrument), read: instrument.read }));
  const [all, events, queues] = [counters(ofAll), counters(ofEvents), counters(ofQueues)];
  const items = meter.createObservableGauge('cosi.controller.queue.length', {
    description: 'Items, or events, that are ready, that wait for a time, and that are worked on',
  });
  const live = meter.createObservableGauge('cosi.runtime.live', {
    description: 'Whether a watch, cache, controller, task or bridge is live: 1 or 0',
  });
  const cached = meter.createObservableGauge('cosi.runtime.cached_resources', {
    description: 'Resources in the read cache',
  });
  const holds = meter.createObservableCounter('cosi.runtime.loop.holds', {
    description: 'How often the event loop was held up while controllers worked',
  });
  const lag = meter.createObservableGauge('cosi.runtime.loop.lag', {
    description: 'How late the event loop was when it was looked at last',
    unit: 's',
  });

  const observe = (result: BatchObservableResult) => {
    const { controllers, caches, health, loop } = report();
    for (const each of controllers) {
      const controller = each.name;
      for (const { observable, read } of [...all, ...(each.kind === 'controller' ? events : queues)]) {
        result.observe(observable, read(each), { controller });
      }
      for (const [state, read] of states) result.observe(items, read(each), { controller, state });
    }
    for (const { namespace, type, resources } of caches) result.observe(cached, resources, { namespace, type });
    for (const { part, name, status } of health.parts) {
      result.observe(live, status === 'live' ? 1 : 0, { part, name });
    }
    result.observe(holds, loop.holds);
    result.observe(lag, loop.lagMs / 1000);
  };

  const observables: Observable[] = [
    ...[...all, ...events, ...queues].map(({ observable }) => observable),
    items,
    cached,
    live,
    holds,
    lag,
  ];
  meter.addBatchObservableCallback(observe, observables);
  return { [Symbol.dispose]: () => meter.removeBatchObservableCallback(observe, observables) };
}
