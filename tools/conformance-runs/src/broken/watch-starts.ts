import { isCosiError, isTombstone, type Kind, kindTombstone, Timestamp } from '@cosi-ts/resource';
import { createWatch, type Event, type Watch, type WatchKindOptions } from '@cosi-ts/state';
import { alteredEvents, brokenCore, type CoreMethods, type EventChange } from './broken-state.js';

/** Opens the watch when it is first read. */
function late<T>(open: () => Promise<Watch<T>>, signal: AbortSignal | undefined): Watch<T> {
  signal?.throwIfAborted();
  let opened: Promise<Watch<T>> | undefined;
  return createWatch<T>(
    {
      async pull() {
        opened ??= open();
        const result = await (await opened).next();
        return result.done === true ? undefined : result.value;
      },
      close: async () => (await opened)?.close(),
    },
    signal,
  );
}

/** An establishing error as an event. */
async function errorAsEvent(open: Promise<Watch<Event>>): Promise<Watch<Event>> {
  try {
    return await open;
  } catch (error) {
    if (!isCosiError(error) || error.code === 'closed') throw error;
    let given = false;
    return createWatch<Event>({
      pull: () => {
        if (given) return undefined;
        given = true;
        return { type: 'errored', error };
      },
      close: () => undefined,
    });
  }
}

export const brokenStarts = [
  brokenCore(
    'W1',
    'a watch begins when it is first read',
    (core) => ({
      watch: async (pointer, options) => late(() => core.watch(pointer, options), options?.signal),
      watchKind: async (kind, options) => late(() => core.watchKind(kind, options), options?.signal),
      watchKindAggregated: async (kind, options) =>
        late(() => core.watchKindAggregated(kind, options), options?.signal),
    }),
    { others: 42 },
  ),

  brokenCore('W1', 'the present is read when the watch is first read', (core) => ({
    watch: async (pointer, options = {}) => {
      const watch = await core.watch(pointer, options);
      if (options.tailEvents !== undefined || options.startFromBookmark !== undefined) return watch;
      return retold(watch, () => core.watch(pointer, { ...options, signal: undefined }));
    },
  })),

  brokenCore('W1', 'what is wrong with a watch comes as an event', (core) => ({
    watch: (pointer, options) => errorAsEvent(core.watch(pointer, options)),
    watchKind: (kind, options) => errorAsEvent(core.watchKind(kind, options)),
  })),

  brokenCore(
    'W4',
    'a watch of what is absent begins with nothing',
    (core) =>
      alteredEvents(
        core,
        () => (event) => (event.type === 'destroyed' && isTombstone(event.resource) ? undefined : event),
      ),
    { others: 24 },
  ),

  brokenCore(
    'W4',
    'the present comes as an update',
    (core) =>
      alteredEvents(core, ({ name, options }) => {
        let first = name === 'watch' && options.startFromBookmark === undefined && !((options.tailEvents ?? 0) > 0);
        return (event) => {
          const present = first && event.type === 'created';
          first = false;
          return present ? { ...event, type: 'updated' } : event;
        };
      }),
    { others: 12 },
  ),

  brokenCore('W4', 'the present is told before a tail too', (core) => ({
    watch: async (pointer, options = {}) => {
      const watch = await core.watch(pointer, options);
      if (!((options.tailEvents ?? 0) > 0) && options.startFromBookmark === undefined) return watch;
      const { tailEvents: _, startFromBookmark: __, ...rest } = options;
      const present = await core.watch(pointer, rest);
      const first = await present.next();
      await present.close();
      return preceded(watch, first.value === undefined ? [] : [first.value]);
    },
  })),

  brokenCore('W5', 'a bootstrap is in the order of creation', (core) =>
    alteredEvents(
      core,
      bootstrapChange((created) =>
        created.toSorted((a, b) => a.resource.metadata.created.compare(b.resource.metadata.created)),
      ),
    ),
  ),

  brokenCore('W5', 'what is created during the bootstrap comes twice', (core) => doubledBootstrap(core)),

  brokenCore('W5', 'a bootstrap of an empty kind is not told', (core) =>
    alteredEvents(core, ({ options }) => {
      let empty = options.bootstrapContents === true;
      return (event) => {
        if (event.type === 'created') empty = false;
        return event.type === 'bootstrapped' && empty ? undefined : event;
      };
    }),
  ),

  brokenCore('W5', 'the noop comes before the bootstrap', (core) =>
    alteredEvents(core, ({ subject, options }) => {
      let first = options.bootstrapContents === true && options.bootstrapBookmark === true;
      return (event) => {
        if (event.type === 'noop') return first ? undefined : options.bootstrapContents === true ? undefined : event;
        const noop: Event = { type: 'noop', resource: kindTombstone(subject, Timestamp.epoch) };
        const events = first ? [noop, event] : [event];
        first = false;
        return events;
      };
    }),
  ),

  brokenCore('W5', 'no noop comes with a start bookmark', (core) =>
    alteredEvents(
      core,
      ({ options }) =>
        (event) =>
          event.type === 'noop' && options.startFromBookmark !== undefined ? undefined : event,
    ),
  ),

  brokenCore('W7', 'the tail is one event short', (core) => ({
    ...tails(core, (tailEvents) => (tailEvents > 1 ? tailEvents - 1 : tailEvents)),
  })),

  brokenCore('W7', 'the noop comes after the tail', (core) => ({
    ...noopsAfterTails(core),
  })),

  brokenCore('W7', 'a tail together with a bookmark is taken for the bookmark', (core) => {
    const chosen = (options: WatchKindOptions = {}): WatchKindOptions =>
      options.startFromBookmark === undefined ? options : { ...options, tailEvents: 0 };
    return {
      watch: (pointer, options) => core.watch(pointer, chosen(options)),
      watchKind: (kind, options) => core.watchKind(kind, chosen(options)),
      watchKindAggregated: (kind, options) => core.watchKindAggregated(kind, chosen(options)),
    };
  }),

  brokenCore('W7', 'with labels a tail is all that is kept', (core) => ({
    ...tails(core, (tailEvents, options) => (options.labels === undefined ? tailEvents : 1000)),
  })),

  brokenCore('W7', 'a negative tail is an error', (core) => {
    const checked = (options: WatchKindOptions = {}): WatchKindOptions => {
      if ((options.tailEvents ?? 0) < 0) throw new RangeError('a tail cannot be negative');
      return options;
    };
    return {
      watch: async (pointer, options) => core.watch(pointer, checked(options)),
      watchKind: async (kind, options) => core.watchKind(kind, checked(options)),
      watchKindAggregated: async (kind, options) => core.watchKindAggregated(kind, checked(options)),
    };
  }),
];

function tails(core: CoreMethods, change: (tailEvents: number, options: WatchKindOptions) => number) {
  const changed = <O extends WatchKindOptions>(options: O): O =>
    options.tailEvents === undefined ? options : { ...options, tailEvents: change(options.tailEvents, options) };
  return {
    watch: (...[pointer, options = {}]: Parameters<CoreMethods['watch']>) => core.watch(pointer, changed(options)),
    watchKind: (kind: Kind, options: WatchKindOptions = {}) => core.watchKind(kind, changed(options)),
    watchKindAggregated: (kind: Kind, options: WatchKindOptions = {}) =>
      core.watchKindAggregated(kind, changed(options)),
  };
}

function noopsAfterTails(core: CoreMethods) {
  return alteredEvents(core, ({ options }) => {
    const { tailEvents = 0, bootstrapBookmark } = options;
    if (tailEvents <= 0 || bootstrapBookmark !== true) return (event) => event;
    let noop: Event | undefined;
    let left = tailEvents;
    return (event) => {
      if (event.type === 'noop') {
        noop = event;
        return undefined;
      }
      left--;
      return left === 0 && noop !== undefined ? [event, noop] : event;
    };
  });
}

/** Collects the created events of a bootstrap and gives them in another order. */
function bootstrapChange(
  change: (created: readonly Extract<Event, { type: 'created' }>[]) => readonly Event[],
): (call: { readonly options: WatchKindOptions }) => EventChange {
  return ({ options }) => {
    let created: Extract<Event, { type: 'created' }>[] | undefined =
      options.bootstrapContents === true ? [] : undefined;
    return (event) => {
      if (created === undefined) return event;
      if (event.type === 'created') {
        created.push(event);
        return undefined;
      }
      const events = [...change(created), event];
      created = undefined;
      return events;
    };
  };
}

/** The live events begin before the bootstrap is read. */
function doubledBootstrap(core: CoreMethods): Partial<CoreMethods> {
  return {
    watchKind: async (kind, options = {}) => {
      if (options.bootstrapContents !== true) return core.watchKind(kind, options);
      const live = await core.watchKind(kind, { ...options, bootstrapContents: false, bootstrapBookmark: false });
      for (let i = 0; i < 4; i++) await undefined;
      const bootstrap = await core.watchKind(kind, { ...options, signal: undefined });
      const first: Event[] = [];
      const last = options.bootstrapBookmark === true ? 'noop' : 'bootstrapped';
      for await (const event of bootstrap) {
        first.push(event);
        if (event.type === last) break;
      }
      return preceded(live, first);
    },
  };
}

function preceded<T>(watch: Watch<T>, first: readonly T[]): Watch<T> {
  const ready = [...first];
  return createWatch<T>({
    async pull() {
      if (ready.length > 0) return ready.shift();
      const result = await watch.next();
      return result.done === true ? undefined : result.value;
    },
    close: () => watch.close(),
  });
}

/** The watch with its first event as it would be at the first read. */
function retold(watch: Watch<Event>, open: () => Promise<Watch<Event>>): Watch<Event> {
  let told = false;
  return createWatch<Event>({
    async pull() {
      const result = await watch.next();
      if (result.done === true || told) return result.value;
      told = true;
      const fresh = await open();
      const first = await fresh.next();
      await fresh.close();
      return first.value;
    },
    close: () => watch.close(),
  });
}
