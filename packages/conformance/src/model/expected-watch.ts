import type { StateFeatures } from '../features.js';
import type { Open } from './commands.js';
import { type KindName, namespaceOf, type PlainResource } from './plain.js';
import { modelQueries, type QueryName } from './queries.js';
import { type LogEntry, listed, stored, type World } from './world.js';

/** An event as plain data. */
export interface PlainEvent {
  readonly type: 'created' | 'updated' | 'destroyed' | 'bootstrapped' | 'noop' | 'errored';
  readonly id: string;
  /** Undefined for tombstones. */
  readonly resource: PlainResource | undefined;
  readonly old: PlainResource | undefined;
  readonly hasBookmark: boolean;
}

/** An event that may come next, and what is known once it has come. */
export interface Expected {
  readonly event: PlainEvent;
  /** The number of log entries that its bookmark stands for; undefined without a bookmark. */
  readonly position: number | undefined;
  readonly watch: ExpectedWatch;
}

/** What a watch has still to give, according to one world. Immutable. */
export interface ExpectedWatch {
  readonly kind: KindName;
  /** Undefined for a watch of the kind. */
  readonly id: string | undefined;
  readonly query: QueryName;
  /** What comes before the events of the log. */
  readonly first: readonly { readonly event: PlainEvent; readonly position: number | undefined }[];
  /** The number of log entries that are done with. */
  readonly cursor: number;
  /** After an error. */
  readonly over: boolean;
}

const tombstone = (type: PlainEvent['type'], id: string, hasBookmark: boolean): PlainEvent => ({
  type,
  id,
  resource: undefined,
  old: undefined,
  hasBookmark,
});

const concerns = (watch: Pick<ExpectedWatch, 'kind' | 'id'>, entry: LogEntry): boolean =>
  entry.kind === watch.kind && (watch.id === undefined || entry.resource.id === watch.id);

/** How many events of the kind come after the position. */
export function eventsAfter(world: World, kind: KindName, position: number): number {
  return world.log.slice(position).filter((entry) => entry.kind === kind).length;
}

/** All ways in which the watch may begin, or the code with which it must be refused. */
export function begun(
  world: World,
  open: Open,
  from: number | undefined,
  features: StateFeatures,
): readonly ExpectedWatch[] | { readonly code: string } {
  const { form, kind, query } = open;
  const one = form === 'watch';
  const tail = open.tailEvents !== undefined && open.tailEvents > 0 ? open.tailEvents : 0;
  const bootstraps = !one && open.bootstrapContents;
  if ([tail > 0, from !== undefined, bootstraps].filter(Boolean).length > 1) {
    return { code: features.errorCodes ? 'invalid-argument' : 'unknown' };
  }
  const base = { kind, id: one ? open.id : undefined, query: one ? ('all' as const) : query, over: false };
  const wantsNoop = !one && open.bootstrapBookmark;
  const starting = (cursor: number, first: ExpectedWatch['first']): ExpectedWatch => {
    const noop = { event: tombstone('noop', '', features.bookmarks), position: cursor };
    return { ...base, cursor, first: wantsNoop ? [...first, noop] : first };
  };
  const now = world.log.length;
  if (from !== undefined) return [starting(from, [])];
  if (tail > 0) return tailStarts(world, base, tail, features).map((cursor) => starting(cursor, []));
  if (bootstraps) return [starting(now, bootstrap(world, kind, query, features))];
  return [starting(now, one ? [present(world, kind, open.id, features)] : [])];
}

function present(world: World, kind: KindName, id: string, features: StateFeatures): ExpectedWatch['first'][number] {
  const resource = stored(world, kind, id);
  const hasBookmark = features.bookmarks && features.presentBookmark;
  const event: PlainEvent =
    resource === undefined
      ? tombstone('destroyed', id, hasBookmark)
      : { type: 'created', id, resource, old: undefined, hasBookmark };
  return { event, position: world.log.length };
}

function bootstrap(world: World, kind: KindName, query: QueryName, features: StateFeatures): ExpectedWatch['first'] {
  const matching = listed(world, kind).filter(modelQueries[query].matches);
  const created = matching.map((resource) => ({
    event: { type: 'created', id: resource.id, resource, old: undefined, hasBookmark: false } as const,
    position: undefined,
  }));
  return [...created, { event: tombstone('bootstrapped', '', features.bookmarks), position: world.log.length }];
}

/** Where a tail may begin: that depends on how much of the history is kept. */
function tailStarts(
  world: World,
  watch: Pick<ExpectedWatch, 'kind' | 'id'>,
  tail: number,
  features: StateFeatures,
): readonly number[] {
  const ofKind = world.log.flatMap((entry, at) => (entry.kind === watch.kind ? [at] : []));
  const mostKept = Math.min(ofKind.length, features.overrunEvents ?? ofKind.length);
  const leastKept = Math.min(ofKind.length, features.historyEvents);
  const starts = new Set<number>();
  for (let kept = leastKept; kept <= mostKept; kept++) {
    const wanted = ofKind.slice(ofKind.length - kept).filter((at) => concerns(watch, world.log[at] as LogEntry));
    starts.add(wanted.slice(-tail)[0] ?? world.log.length);
  }
  return [...starts];
}

/** The event of the log as the watch shows it, if it does. */
function shown(watch: ExpectedWatch, entry: LogEntry, features: StateFeatures): PlainEvent | undefined {
  if (!concerns(watch, entry)) return undefined;
  const { matches } = modelQueries[watch.query];
  const is = matches(entry.resource);
  const was = entry.old === undefined ? is : matches(entry.old);
  if (!is && !was) return undefined;
  const { resource } = entry;
  const common = { id: resource.id, resource, hasBookmark: features.bookmarks };
  if (is !== was) return { ...common, type: is ? 'created' : 'destroyed', old: undefined };
  return { ...common, type: entry.type, old: features.oldOnUpdated ? entry.old : undefined };
}

/** How many events must come, if the watch does not fail. */
export function pending(world: World, watch: ExpectedWatch, features: StateFeatures): number {
  if (watch.over) return 0;
  const ofLog = world.log.slice(watch.cursor).filter((entry) => shown(watch, entry, features) !== undefined);
  return watch.first.length + ofLog.length;
}

/** Everything that may come next. */
export function nextOf(world: World, watch: ExpectedWatch, features: StateFeatures): readonly Expected[] {
  const expected: Expected[] = [];
  const [head, ...first] = watch.first;
  if (head !== undefined) return [{ ...head, watch: { ...watch, first } }];
  for (let at = watch.cursor; at < world.log.length; at++) {
    const event = shown(watch, world.log[at] as LogEntry, features);
    if (event === undefined) continue;
    expected.push({ event, position: at + 1, watch: { ...watch, cursor: at + 1 } });
    break;
  }
  // Whether a watch that is this far behind has overrun depends on how far it has read ahead.
  if (eventsAfter(world, watch.kind, watch.cursor) > features.historyEvents) {
    const event = tombstone('errored', '', false);
    expected.push({ event, position: undefined, watch: { ...watch, over: true } });
  }
  return expected;
}

/** Whether a bookmark of one kind can be used for another. */
export const countTogether = (a: KindName, b: KindName, features: StateFeatures): boolean =>
  features.bookmarksAcrossKinds ? namespaceOf(a) === namespaceOf(b) : a === b;
