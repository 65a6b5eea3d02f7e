import {
  kindTombstone,
  Metadata,
  matchesLabels,
  Resource,
  type StringMap,
  Timestamp,
  tombstone,
} from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { createWatch, type Watch } from '@cosi-ts/state';
import { alteredEvents, brokenCore, type CoreMethods } from './broken-state.js';

const live = (event: Event) => event.type === 'created' || event.type === 'updated' || event.type === 'destroyed';

export const brokenEvents = [
  brokenCore('W3', 'updates do not bring the resource before', (core) =>
    alteredEvents(core, () => (event) => {
      if (event.type !== 'updated') return event;
      const { old: _, ...rest } = event;
      return withBookmark(event, rest);
    }),
  ),

  brokenCore('W3', 'updates bring the new resource as the one before', (core) =>
    alteredEvents(core, () => (event) => (event.type === 'updated' ? { ...event, old: event.resource } : event)),
  ),

  brokenCore('W3', 'destroyed brings a tombstone', (core) =>
    alteredEvents(core, () => (event) => {
      if (event.type !== 'destroyed') return event;
      const { version } = event.resource.metadata;
      return { ...event, resource: tombstone(event.resource.metadata, Timestamp.epoch, version) };
    }),
  ),

  brokenCore(
    'W3',
    'a noop comes unasked after a bootstrap',
    (core) =>
      alteredEvents(core, ({ subject, options }) => (event) => {
        if (event.type !== 'bootstrapped' || options.bootstrapBookmark === true) return event;
        return [event, { type: 'noop', resource: kindTombstone(subject, Timestamp.epoch) }];
      }),
    { others: 46 },
  ),

  brokenCore('W3', 'bootstrapped carries no tombstone of the kind', (core) =>
    alteredEvents(core, () => (event) => {
      if (event.type !== 'bootstrapped') return event;
      const metadata = new Metadata({ ...event.resource.metadata, id: 'last' });
      return { ...event, resource: new Resource(metadata, event.resource.content) };
    }),
  ),

  brokenCore('W3', 'bootstrapped comes twice', (core) =>
    alteredEvents(core, () => {
      let due: Event | undefined;
      return (event) => {
        if (event.type === 'bootstrapped') due = event;
        else if (due !== undefined && event.type === 'updated') {
          const again = due;
          due = undefined;
          return [again, event];
        }
        return event;
      };
    }),
  ),

  brokenCore(
    'W3',
    'an error comes twice',
    (core) => ({
      ...alteredEvents(core, () => (event) => (event.type === 'errored' ? [event, event] : event)),
    }),
    { others: 12 },
  ),

  brokenCore('W3', 'an error comes with a resource', (core) =>
    alteredEvents(
      core,
      ({ subject }) =>
        (event) =>
          event.type === 'errored' ? ({ ...event, resource: kindTombstone(subject, Timestamp.epoch) } as Event) : event,
    ),
  ),

  brokenCore('W3', 'events of one write come in another order', (core) => swapped(core), { others: 38 }),
];

function withBookmark<T extends object>(event: { readonly bookmark?: Uint8Array }, rest: T): T & Event {
  return { ...rest, ...(event.bookmark === undefined ? {} : { bookmark: event.bookmark }) } as T & Event;
}

/** Two events that are ready at once change places. */
function swapped(core: CoreMethods): Partial<CoreMethods> {
  return {
    watchKindAggregated: async (kind, options) => {
      const watch = await core.watchKindAggregated(kind, options);
      return arrays(watch, (events) => {
        const [first, second, ...rest] = events;
        if (first === undefined || second === undefined || !live(first) || !live(second)) return events;
        return events.some(({ type }) => type === 'bootstrapped') ? events : [second, first, ...rest];
      });
    },
  };
}

function arrays(watch: Watch<readonly Event[]>, change: (events: readonly Event[]) => readonly Event[]) {
  return createWatch<readonly Event[]>({
    async pull() {
      const result = await watch.next();
      return result.done === true ? undefined : change(result.value);
    },
    close: () => watch.close(),
  });
}

/** What a filter sees before it makes something of it. */
interface Change {
  readonly event: Extract<Event, { type: 'created' | 'updated' | 'destroyed' }>;
  readonly was: boolean;
  readonly is: boolean;
}

/** Watches with labels, filtered here instead of by the state. */
function filteredHere(core: CoreMethods, make: (change: Change) => Event | undefined) {
  const unlabelled = <O extends { readonly labels?: unknown }>(options: O): O => ({ ...options, labels: undefined });
  const plain: CoreMethods = {
    ...core,
    watchKind: (kind, options = {}) => core.watchKind(kind, unlabelled(options)),
    watchKindAggregated: (kind, options = {}) => core.watchKindAggregated(kind, unlabelled(options)),
  };
  return alteredEvents(plain, ({ options }) => (event) => {
    if (options.labels === undefined) return event;
    if (event.type !== 'created' && event.type !== 'updated' && event.type !== 'destroyed') return event;
    const matches = (labels: StringMap) => matchesLabels(labels, options.labels);
    const is = matches(event.resource.metadata.labels);
    const was = event.type === 'updated' && event.old !== undefined ? matches(event.old.metadata.labels) : is;
    return make({ event, was, is });
  });
}

/** What is right, for the parts that a broken filter does not break. */
function right({ event, was, is }: Change): Event | undefined {
  if (event.type !== 'updated') return is ? event : undefined;
  if (was && is) return event;
  if (!was && !is) return undefined;
  return withBookmark(event, { type: is ? 'created' : 'destroyed', resource: event.resource } as Event);
}

export const brokenFilters = [
  brokenCore('W11', 'what begins to match comes as an update', (core) =>
    filteredHere(core, (change) => (change.event.type === 'updated' && change.is ? change.event : right(change))),
  ),

  brokenCore('W11', 'what stops matching is not told', (core) =>
    filteredHere(core, (change) => (change.is ? right(change) : undefined)),
  ),

  brokenCore('W11', 'what stops matching comes with its old state', (core) =>
    filteredHere(core, (change) => {
      const event = right(change);
      const { event: given } = change;
      if (given.type !== 'updated' || event?.type !== 'destroyed' || given.old === undefined) return event;
      return { ...event, resource: given.old };
    }),
  ),

  brokenCore('W11', 'what begins to match brings an old resource', (core) =>
    filteredHere(core, (change) => {
      const event = right(change);
      const { event: given } = change;
      return given.type === 'updated' && event?.type === 'created' ? ({ ...event, old: given.old } as Event) : event;
    }),
  ),

  brokenCore('W11', 'what never matched is told when it goes', (core) =>
    filteredHere(core, (change) => (change.event.type === 'destroyed' ? change.event : right(change))),
  ),

  brokenCore('W11', 'an id pattern does not filter live events', (core) => {
    const open = (options: { readonly id?: string | undefined; readonly bootstrapContents?: boolean | undefined }) =>
      options.bootstrapContents === true ? options : { ...options, id: undefined };
    return {
      watchKind: (kind, options = {}) => core.watchKind(kind, open(options)),
    };
  }),
];
