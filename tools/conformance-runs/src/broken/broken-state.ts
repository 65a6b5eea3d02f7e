import type { StateFeatures, StateUnderTest } from '@cosi-ts/conformance';
import type { Kind, Pointer, Resource } from '@cosi-ts/resource';
import {
  type CoreState,
  createWatch,
  type Event,
  type State,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
  wrapState,
} from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { inspect } from '../../../../packages/state-inmem/src/internal.js';

/** A state that is right but for one thing, which the tests of its rule have to find. */
export interface BrokenState {
  /** What is wrong. */
  readonly name: string;
  /** The rule that it breaks. */
  readonly rule: string;
  /** How many tests of other rules may fail along with those of the rule. */
  readonly others: number;
  readonly supports: Partial<StateFeatures>;
  readonly factory: () => StateUnderTest;
}

export type CoreMethods = { readonly [K in keyof CoreState]: CoreState[K] };

export interface BreakOptions {
  /** Default: 8. */
  readonly others?: number;
  readonly supports?: Partial<StateFeatures>;
}

const historyEvents = 80;
const goodFeatures: Partial<StateFeatures> = { openWatches: true, historyEvents, overrunEvents: historyEvents };

/** The operations of a state, bound to it. */
function operations(core: CoreState): CoreMethods {
  return {
    get: core.get.bind(core),
    list: core.list.bind(core),
    create: core.create.bind(core),
    update: core.update.bind(core),
    destroy: core.destroy.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
  };
}

function goodState() {
  const inner = new InMemoryState({ history: { maxEvents: historyEvents } });
  return { inner, openWatches: () => inspect(inner).watches };
}

/** Breaks core operations, or adds capabilities. */
export function brokenCore(
  rule: string,
  name: string,
  alter: (core: CoreMethods) => Partial<CoreState> & object,
  options: BreakOptions = {},
): BrokenState {
  const factory = (): StateUnderTest => {
    const { inner, openWatches } = goodState();
    const core = operations(inner);
    return { state: { close: () => inner.close(), ...core, ...alter(core) } as CoreState, openWatches };
  };
  return { rule, name, factory, others: options.others ?? 8, supports: { ...goodFeatures, ...options.supports } };
}

/** Breaks what is built on a good core. */
export function brokenWrapper(
  rule: string,
  name: string,
  alter: (state: State) => Partial<Record<keyof State, unknown>>,
  options: BreakOptions = {},
): BrokenState {
  const factory = (): StateUnderTest => {
    const { inner, openWatches } = goodState();
    const good = wrapState(inner);
    const altered = alter(good);
    const wrapped = new Proxy(good, {
      get: (target, key) => {
        const own = altered[key as keyof State];
        if (own !== undefined) return own;
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { state: inner, wrapped, openWatches };
  };
  return { rule, name, factory, others: options.others ?? 8, supports: { ...goodFeatures, ...options.supports } };
}

/** The call that opened a watch. */
export interface WatchCall {
  readonly subject: Pointer | Kind;
  readonly options: WatchOptions & WatchKindOptions;
  readonly name: 'watch' | 'watchKind' | 'watchKindAggregated';
}

/** What becomes of the events of one watch. */
export type EventChange = (event: Event) => Event | readonly Event[] | undefined;

/** The watches with the events of each changed, dropped, or joined by others. Arrays that become empty are left out. */
export function alteredEvents(core: CoreMethods, open: (call: WatchCall) => EventChange) {
  const change = (call: WatchCall) => {
    const each = open(call);
    return (events: readonly Event[]) => events.flatMap((event) => each(event) ?? []);
  };
  return {
    watch: async (subject: Pointer, options: WatchOptions = {}) =>
      flattened(await core.watch(subject, options), change({ subject, options, name: 'watch' })),
    watchKind: async (subject: Kind, options: WatchKindOptions = {}) =>
      flattened(await core.watchKind(subject, options), change({ subject, options, name: 'watchKind' })),
    watchKindAggregated: async (subject: Kind, options: WatchKindOptions = {}) =>
      mappedArrays(
        await core.watchKindAggregated(subject, options),
        change({ subject, options, name: 'watchKindAggregated' }),
      ),
  };
}

function flattened(watch: Watch<Event>, change: (events: readonly Event[]) => Event[]): Watch<Event> {
  let ready: Event[] = [];
  return createWatch<Event>({
    async pull() {
      while (ready.length === 0) {
        const result = await watch.next();
        if (result.done === true) return undefined;
        ready = change([result.value]);
      }
      return ready.shift();
    },
    close: () => watch.close(),
  });
}

function mappedArrays(
  watch: Watch<readonly Event[]>,
  change: (events: readonly Event[]) => readonly Event[],
): Watch<readonly Event[]> {
  return createWatch<readonly Event[]>({
    async pull() {
      for (;;) {
        const result = await watch.next();
        if (result.done === true) return undefined;
        const events = change(result.value);
        if (events.length > 0) return events;
      }
    },
    close: () => watch.close(),
  });
}

/** The state with every resource that it hands out changed, in answers and events. */
export function alteredResources(core: CoreMethods, change: (resource: Resource) => Resource): CoreMethods {
  const inEvent = (event: Event): Event => {
    if (event.type === 'errored' || event.type === 'bootstrapped' || event.type === 'noop') return event;
    const old = event.type === 'updated' && event.old !== undefined ? { old: change(event.old) } : {};
    return { ...event, resource: change(event.resource), ...old } as Event;
  };
  return {
    ...core,
    get: async (...args) => change(await core.get(...args)),
    list: async (...args) => (await core.list(...args)).map(change),
    create: async (...args) => change(await core.create(...args)),
    update: async (...args) => change(await core.update(...args)),
    ...alteredEvents(core, () => inEvent),
  };
}
