import { isInvalidBookmark, type TypedKind, type TypedResource } from '@cosi-ts/resource';
import type { Bookmark, Event, State, Watch } from '@cosi-ts/state';
import { HandOver } from './hand-over.js';
import { decodePosition, encodePosition } from './position.js';

export type FeedItem =
  /** Forget all that was told before: everything comes anew. */
  | { readonly type: 'reset'; readonly reason: string }
  /** Some of the resources that there are. */
  | { readonly type: 'snapshot'; readonly resources: readonly TypedResource<unknown>[] }
  /** All of them were told, or where the follower left off was found: changes follow. */
  | { readonly type: 'ready'; readonly position: string }
  | {
      readonly type: 'created' | 'updated' | 'destroyed';
      readonly resource: TypedResource<unknown>;
      /** Whoever goes on from here gets what comes after this change. */
      readonly position: string;
    };

type AnyKind = TypedKind<unknown>;
type AnyEvent = Event<TypedResource<unknown>>;
type Batches = Watch<readonly AnyEvent[]>;

/** How many resources a snapshot holds at most. */
const snapshotSize = 500;
/** How many changes are held for a consumer that does not take them, before their watches are left to wait. */
const mostUnderway = 1000;

export interface ChangeFeedOptions {
  readonly signal: AbortSignal;
  /** Where the follower left off. Absent: it knows nothing yet. */
  readonly position?: string | undefined;
}

/**
 * Everything that happens to some kinds, as one stream that can be left and taken up again. When it cannot be taken up
 * where it was left, or falls behind by more than the state keeps, it begins anew by itself. It ends only with the
 * signal, whose reason it throws, and with errors of the state that beginning anew does not help against.
 */
export async function* changeFeed(
  state: Pick<State, 'watchKindAggregated'>,
  kinds: readonly AnyKind[],
  options: ChangeFeedOptions,
): AsyncGenerator<FeedItem, void, undefined> {
  const { signal } = options;
  let reason = 'this is the beginning';
  if (options.position !== undefined) {
    const resumed = await resume(state, kinds, options.position, signal);
    if (typeof resumed === 'string') reason = resumed;
    else {
      yield { type: 'ready', position: options.position };
      reason = yield* follow(resumed.watches, resumed.bookmarks, signal);
    }
  }
  for (;;) {
    yield { type: 'reset', reason };
    const watches = await openAll(kinds, (kind) =>
      state.watchKindAggregated(kind, { bootstrapContents: true, signal }),
    );
    const bookmarks: Bookmark[] = [];
    let broken: string | undefined;
    try {
      for (const watch of watches) bookmarks.push(yield* bootstrap(watch, signal));
    } catch (error) {
      await closeAll(watches);
      if (!(error instanceof Broken)) throw error;
      broken = error.message;
    }
    if (broken === undefined) {
      yield { type: 'ready', position: encodePosition(bookmarks) };
      broken = yield* follow(watches, bookmarks, signal);
    }
    reason = broken;
  }
}

/** A watch ended that was not asked to. */
class Broken extends Error {}

/** The watches at that position, or why there can be none. */
async function resume(
  state: Pick<State, 'watchKindAggregated'>,
  kinds: readonly AnyKind[],
  position: string,
  signal: AbortSignal,
) {
  const bookmarks = decodePosition(position, kinds.length);
  if (bookmarks === undefined) return 'the position is malformed';
  try {
    const watches = await openAll(kinds, (kind, i) =>
      state.watchKindAggregated(kind, { startFromBookmark: bookmarks[i], signal }),
    );
    return { watches, bookmarks: [...bookmarks] };
  } catch (error) {
    if (isInvalidBookmark(error)) return error.message;
    throw error;
  }
}

/** All or none: a failure closes those that were opened. */
async function openAll(kinds: readonly AnyKind[], open: (kind: AnyKind, i: number) => Promise<Batches>) {
  const results = await Promise.allSettled(kinds.map(open));
  const watches = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return watches;
  await closeAll(watches);
  throw failed.reason;
}

function closeAll(watches: readonly Batches[]): Promise<unknown> {
  return Promise.allSettled(watches.map((watch) => watch.close()));
}

/** Tells what there is, up to and with the event that says that this was all, and gives its bookmark. */
async function* bootstrap(watch: Batches, signal: AbortSignal): AsyncGenerator<FeedItem, Bookmark, undefined> {
  for (;;) {
    const next = await watch.next();
    signal.throwIfAborted();
    if (next.done === true) throw new Broken('a watch ended');
    const resources: TypedResource<unknown>[] = [];
    for (const event of next.value) {
      if (event.type === 'errored') throw new Broken(event.error.message);
      if (event.type === 'created') resources.push(event.resource);
      if (event.type !== 'bootstrapped') continue;
      yield* snapshots(resources);
      // Every state of this system gives one; what has none could not be gone on from.
      if (event.bookmark === undefined) throw new TypeError('the state gave no bookmark');
      return event.bookmark;
    }
    yield* snapshots(resources);
  }
}

function* snapshots(resources: readonly TypedResource<unknown>[]): Generator<FeedItem, void, undefined> {
  for (let from = 0; from < resources.length; from += snapshotSize) {
    yield { type: 'snapshot', resources: resources.slice(from, from + snapshotSize) };
  }
}

/** Tells changes until a watch breaks, and says why it did. Closes the watches. */
async function* follow(
  watches: readonly Batches[],
  bookmarks: Bookmark[],
  signal: AbortSignal,
): AsyncGenerator<FeedItem, string, undefined> {
  const changes = new HandOver<{ readonly from: number; readonly event: AnyEvent }>(mostUnderway);
  const ended = watches.map(async (watch, from) => {
    let error: Error = new Broken('a watch ended');
    try {
      for await (const events of watch) for (const event of events) await changes.put({ from, event });
    } catch (thrown) {
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    await changes.put({ from, event: { type: 'errored', error } });
  });
  try {
    for (;;) {
      for (const { from, event } of await changes.take(signal)) {
        if (event.type === 'errored') return event.error.message;
        if (event.type === 'bootstrapped' || event.type === 'noop') continue;
        if (event.bookmark !== undefined) bookmarks[from] = event.bookmark;
        yield { type: event.type, resource: event.resource, position: encodePosition(bookmarks) };
      }
    }
  } finally {
    await closeAll(watches);
    changes.release();
    await Promise.allSettled(ended);
  }
}
