import { isInvalidBookmark, type Kind, type Pointer } from '@cosi-ts/resource';
import type { Bookmark, Event, WatchKindOptions, WatchOptions } from '@cosi-ts/state';
import { alteredEvents, brokenCore, type CoreMethods } from './broken-state.js';

type AnyOptions = WatchOptions & WatchKindOptions;

/** The watches with their options changed. */
function reopened(core: CoreMethods, change: (options: AnyOptions) => AnyOptions) {
  return {
    watch: (pointer: Pointer, options: WatchOptions = {}) => core.watch(pointer, change(options)),
    watchKind: (kind: Kind, options: WatchKindOptions = {}) => core.watchKind(kind, change(options)),
    watchKindAggregated: (kind: Kind, options: WatchKindOptions = {}) =>
      core.watchKindAggregated(kind, change(options)),
  };
}

/** A refused bookmark is replaced by other options. */
function forgiving(core: CoreMethods, instead: (options: AnyOptions) => AnyOptions) {
  const open = async <S, T>(call: (subject: S, options: AnyOptions) => Promise<T>, subject: S, options: AnyOptions) => {
    try {
      return await call(subject, options);
    } catch (error) {
      if (!isInvalidBookmark(error)) throw error;
      return call(subject, instead(options));
    }
  };
  return {
    watch: (pointer: Pointer, options: WatchOptions = {}) => open(core.watch, pointer, options),
    watchKind: (kind: Kind, options: WatchKindOptions = {}) => open(core.watchKind, kind, options),
    watchKindAggregated: (kind: Kind, options: WatchKindOptions = {}) => open(core.watchKindAggregated, kind, options),
  };
}

const shifted = (bookmark: Bookmark, by: number): Bookmark => {
  const bytes = bookmark.slice();
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) + by;
  return bytes;
};

const moved =
  (by: number) =>
  (options: AnyOptions): AnyOptions =>
    options.startFromBookmark === undefined || (options.startFromBookmark.at(-1) ?? 0) + by < 0
      ? options
      : { ...options, startFromBookmark: shifted(options.startFromBookmark, by) };

const without =
  (bookmark: keyof AnyOptions) =>
  (options: AnyOptions): AnyOptions => ({ ...options, [bookmark]: undefined });

export const brokenBookmarks = [
  brokenCore('W8', 'the event of the bookmark comes again', (core) => reopened(core, moved(-1)), { others: 14 }),

  brokenCore('W8', 'the event after the bookmark is lost', (core) => forgivingMove(core), { others: 16 }),

  brokenCore('W8', 'the resources of a bootstrap have the bookmark of its end', (core) =>
    alteredEvents(core, ({ options }) => {
      let bootstrapping = options.bootstrapContents === true;
      return (event) => {
        if (event.type === 'bootstrapped') bootstrapping = false;
        return bootstrapping && event.type === 'created' ? { ...event, bookmark: new Uint8Array(16) } : event;
      };
    }),
  ),

  brokenCore('W8', 'destroyed has no bookmark', (core) =>
    alteredEvents(core, () => (event): Event => {
      if (event.type !== 'destroyed') return event;
      return { type: 'destroyed', resource: event.resource };
    }),
  ),

  brokenCore('W8', 'bootstrapped has no bookmark', (core) =>
    alteredEvents(
      core,
      () =>
        (event): Event =>
          event.type === 'bootstrapped' ? { type: 'bootstrapped', resource: event.resource } : event,
    ),
  ),

  brokenCore('W8', 'a watch from a bookmark forgets its labels', (core) =>
    reopened(core, (options) => (options.startFromBookmark === undefined ? options : without('labels')(options))),
  ),

  brokenCore('W8', 'a watch from a bookmark forgets its id pattern', (core) =>
    reopened(core, (options) => (options.startFromBookmark === undefined ? options : without('id')(options))),
  ),

  brokenCore('W8', 'a watch from a bookmark tells the present first', (core) => ({
    watch: async (pointer, options = {}) => {
      if (options.startFromBookmark === undefined) return core.watch(pointer, options);
      const check = await core.watch(pointer, { ...options, signal: undefined });
      await check.close();
      return core.watch(pointer, { signal: options.signal });
    },
  })),

  brokenCore('W9', 'a bookmark that is not known is replayed from the beginning', (core) =>
    forgiving(core, (options) => ({ ...options, startFromBookmark: undefined, tailEvents: 1000 })),
  ),

  brokenCore('W9', 'a bookmark that is not known begins with the present', (core) =>
    forgiving(core, without('startFromBookmark')),
  ),

  brokenCore('W9', 'a bookmark that is not known is an error of another kind', (core) => {
    const relabelled = async <T>(open: Promise<T>): Promise<T> => {
      try {
        return await open;
      } catch (error) {
        if (isInvalidBookmark(error)) throw new RangeError('no such bookmark');
        throw error;
      }
    };
    return {
      watch: (pointer, options) => relabelled(core.watch(pointer, options)),
      watchKind: (kind, options) => relabelled(core.watchKind(kind, options)),
    };
  }),

  brokenCore('W9', 'a bookmark of the future is taken for the present', (core) =>
    forgiving(core, (options) =>
      options.startFromBookmark?.length === 16 && options.startFromBookmark[0] !== undefined
        ? without('startFromBookmark')(options)
        : options,
    ),
  ),
];

function forgivingMove(core: CoreMethods) {
  const ahead = reopened(core, moved(1));
  const open = async <T>(first: () => Promise<T>, second: () => Promise<T>): Promise<T> => {
    try {
      return await first();
    } catch (error) {
      if (isInvalidBookmark(error)) return second();
      throw error;
    }
  };
  return {
    watch: (pointer: Pointer, options?: WatchOptions) =>
      open(
        () => ahead.watch(pointer, options),
        () => core.watch(pointer, options),
      ),
    watchKind: (kind: Kind, options?: WatchKindOptions) =>
      open(
        () => ahead.watchKind(kind, options),
        () => core.watchKind(kind, options),
      ),
    watchKindAggregated: (kind: Kind, options?: WatchKindOptions) =>
      open(
        () => ahead.watchKindAggregated(kind, options),
        () => core.watchKindAggregated(kind, options),
      ),
  };
}
