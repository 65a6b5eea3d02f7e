import { isOverrun, type Kind, type Pointer, pointerKey, type Resource } from '@cosi-ts/resource';
import type { QueueController, RuntimeOptions } from '@cosi-ts/runtime';
import * as library from '@cosi-ts/runtime';
import { type CoreState, createWatch, type Event, mapWatch, type Watch, type WatchKindOptions } from '@cosi-ts/state';
import { type BrokenRuntime, broken, brokenCore, operations } from './broken-runtime.js';

type Change = (events: readonly Event[], kind: Kind, watch: number) => readonly Event[];

/** What a runtime is told by its watches is changed. */
function changed(core: CoreState, change: Change): Partial<CoreState> {
  let watches = 0;
  return {
    async watchKindAggregated(kind, options) {
      const number = ++watches;
      return mapWatch(await core.watchKindAggregated(kind, options), (events) => change(events, kind, number));
    },
  };
}

const brokenEvents = (rule: string, name: string, change: () => Change): BrokenRuntime =>
  brokenCore(rule, name, (core) => changed(core, change()));

const isList = (events: readonly Event[]) => events.some(({ type }) => type === 'bootstrapped');
const keyOf = (event: Event) => (event.type === 'errored' ? '' : pointerKey(event.resource.metadata));

/** Forgets changes of an item that come while it is worked on. */
class Forgetting extends library.Runtime {
  readonly #working: Map<string, number>;

  constructor(core: CoreState, options?: RuntimeOptions) {
    const working = new Map<string, number>();
    const change: Change = (events) => events.filter((event) => (working.get(keyOf(event)) ?? 0) === 0);
    super({ ...operations(core), ...changed(core, change) }, options);
    this.#working = working;
  }

  override register(controller: never): never {
    if (!('reconcile' in controller)) return super.register(controller) as never;
    const queue = controller as QueueController;
    const reconcile = async (pointer: Pointer, context: never) => {
      const key = pointerKey(pointer);
      const count = (by: number) => this.#working.set(key, (this.#working.get(key) ?? 0) + by);
      count(1);
      try {
        return await queue.reconcile(pointer, context);
      } finally {
        count(-1);
      }
    };
    return super.register({ ...queue, reconcile }) as never;
  }
}

/** Does not tell of mapped resources that are gone. */
class Unmapping extends library.Runtime {
  readonly #mapped: Set<string>;

  constructor(core: CoreState, options?: RuntimeOptions) {
    const types = new Set<string>();
    const change: Change = (events, { type }) =>
      types.has(type) ? events.filter((event) => event.type !== 'destroyed') : events;
    super({ ...operations(core), ...changed(core, change) }, options);
    this.#mapped = types;
  }

  override register(controller: never): never {
    for (const { kind, of } of (controller as QueueController).inputs)
      if (kind.startsWith('mapped')) this.#mapped.add(of.type);
    return super.register(controller) as never;
  }
}

/** Ends when a watch overruns. */
class Fragile extends library.Runtime {
  constructor(core: CoreState, options?: RuntimeOptions) {
    const end = { now: () => undefined as unknown };
    const change: Change = (events) => {
      if (events.some((event) => event.type === 'errored' && isOverrun(event.error))) end.now();
      return events;
    };
    super({ ...operations(core), ...changed(core, change) }, options);
    end.now = () => void this.close();
  }
}

/** The list comes as if everything in it had been created just now. */
function asLive(core: CoreState): Partial<CoreState> {
  return {
    async watchKindAggregated(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<readonly Event[]>> {
      const inner = await core.watchKindAggregated(kind, options);
      let listed: readonly Event[] = [];
      return createWatch<readonly Event[]>(
        {
          async pull() {
            if (listed.length > 0) {
              const events = listed;
              listed = [];
              return events;
            }
            const { value } = await inner.next();
            if (value === undefined || !isList(value)) return value;
            listed = value.filter(({ type }) => type === 'created');
            return value.filter(({ type }) => type !== 'created');
          },
          close: () => inner.close(),
        },
        options.signal,
      );
    },
  };
}

export const brokenInputs: readonly BrokenRuntime[] = [
  broken('Q2', 'a change during the work on an item is forgotten', { Runtime: Forgetting }),
  {
    ...brokenEvents(
      'Q4',
      'what is there at the start is not queued',
      () => (events) => (isList(events) ? events.filter(({ type }) => type !== 'created') : events),
    ),
    // Many tests begin with something.
    others: 20,
  },
  brokenCore('Q8', 'first come, first served', asLive),
  broken('Q1', 'mapped resources that are gone are not mapped', { Runtime: Unmapping }),
  brokenEvents('C9', 'what goes while a watch is broken is missed', () => {
    const known = new Map<string, Resource>();
    return (events, kind) => {
      const missing = new Map([...known].filter(([, { metadata }]) => metadata.type === kind.type));
      for (const event of events) {
        if (event.type === 'created' || event.type === 'updated') known.set(keyOf(event), event.resource);
        if (event.type === 'destroyed') known.delete(keyOf(event));
        missing.delete(keyOf(event));
      }
      if (!isList(events)) return events;
      return [...[...missing.values()].map((resource): Event => ({ type: 'created', resource })), ...events];
    };
  }),
  brokenCore('C9', 'a watch that broke is not made again', (core) => {
    const watched = new Set<string>();
    return {
      watchKindAggregated(kind, options) {
        if (watched.has(kind.type)) return new Promise(() => undefined);
        watched.add(kind.type);
        return core.watchKindAggregated(kind, options);
      },
    };
  }),
  broken('W13', 'it ends when a watch overruns', { Runtime: Fragile }),
];
