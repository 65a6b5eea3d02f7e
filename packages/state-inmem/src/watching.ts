import { InvalidBookmarkError, type Kind, type Pointer } from '@cosi-ts/resource';
import type { Event, Watch, WatchKindOptions, WatchOptions } from '@cosi-ts/state';
import { abortable } from './abortable.js';
import type { EventLog } from './backing-store.js';
import { EventFilter } from './event-filter.js';
import type { Change } from './history-entry.js';
import { KindSource } from './kind-source.js';
import type { Kinds } from './kinds.js';
import type { LiveSource } from './live-source.js';
import { OpenWatches } from './open-watches.js';
import { bookmarkOpening, contentsOpening, pastOpening, presentOpening } from './openings.js';
import { PointerSource } from './pointer-source.js';
import { resolveQueries } from './queries.js';
import type { StateClock } from './state-clock.js';
import type { Timeline } from './timeline.js';
import { resolveWatchStart, type WatchStart } from './watch-start.js';

/** Establishes the watches of a state. What a watch begins with is fixed when it is asked for, before any waiting. */
export class Watching {
  readonly #kinds: Kinds;
  readonly #timeline: Timeline;
  readonly #log: EventLog | undefined;
  readonly #clock: StateClock;
  readonly #open: OpenWatches;

  constructor(kinds: Kinds, timeline: Timeline, log: EventLog | undefined, clock: StateClock) {
    this.#kinds = kinds;
    this.#timeline = timeline;
    this.#log = log;
    this.#clock = clock;
    this.#open = new OpenWatches(kinds);
  }

  /** How many watches have not ended. */
  get size(): number {
    return this.#open.size;
  }

  /** Ends all watches. */
  close(): Promise<void> {
    return this.#open.close();
  }

  async pointer(pointer: Pointer, options: WatchOptions): Promise<Watch<Event>> {
    const { signal } = options;
    const start = resolveWatchStart(options, pointer);
    const position = this.#startPosition(start, pointer);
    const source = new PointerSource(this.#init(pointer), pointer.id);
    if (position !== undefined) {
      source.startAfter(position);
    } else if (start.from === 'tail') {
      const past = this.#past(source, start.count, signal);
      source.open(pastOpening(past instanceof Promise ? await past : past, source.see));
    } else {
      const present = source.collection.get(pointer.id);
      source.open(presentOpening(pointer, present, this.#clock.next(), this.#timeline));
    }
    return this.#open.single(source, signal);
  }

  async kind(kind: Kind, options: WatchKindOptions): Promise<Watch<Event>> {
    const { signal } = options;
    const source = this.#kind(kind, options);
    return this.#open.single(source instanceof Promise ? await source : source, signal);
  }

  async kindAggregated(kind: Kind, options: WatchKindOptions): Promise<Watch<readonly Event[]>> {
    const { signal } = options;
    const source = this.#kind(kind, options);
    return this.#open.aggregated(source instanceof Promise ? await source : source, signal);
  }

  #kind(kind: Kind, options: WatchKindOptions): KindSource | Promise<KindSource> {
    const queries = resolveQueries(options);
    const start = resolveWatchStart(options, kind);
    const startPosition = this.#startPosition(start, kind);
    const source = new KindSource(this.#init(kind), queries.matchAll ? undefined : new EventFilter(queries));
    const { collection } = source;
    const { position } = this.#timeline;
    const { bootstrapBookmark } = options;
    const openAt = (at: number) => {
      if (bootstrapBookmark !== true) return;
      source.open(bookmarkOpening(collection.kind, this.#clock.next(), this.#timeline, at));
    };
    const openPast = (past: readonly Change[]) => {
      // Positions have no gaps: the one before an event is the one in which all before it has happened.
      openAt(past[0] === undefined ? position : past[0].position - 1);
      source.open(pastOpening(past, source.see));
      return source;
    };
    if (start.from === 'tail') {
      const past = this.#past(source, start.count, options.signal);
      return past instanceof Promise ? past.then(openPast) : openPast(past);
    }
    if (start.from === 'contents') {
      source.open(contentsOpening(collection.kind, collection.list(queries), this.#clock.next(), this.#timeline));
    }
    openAt(startPosition ?? position);
    if (startPosition !== undefined) source.startAfter(startPosition);
    return source;
  }

  #init(kind: Kind) {
    return {
      collection: this.#kinds.of(kind),
      timeline: this.#timeline,
      log: this.#log,
      onEnd: (source: LiveSource) => this.#open.ended(source),
    };
  }

  /** The position that a watch starts after, if it starts from a bookmark. Throws when that is refused. */
  #startPosition(start: WatchStart, subject: Kind): number | undefined {
    if (start.from !== 'bookmark') return undefined;
    const { namespace, type } = subject;
    const position = this.#timeline.positionOf(start.bookmark, { namespace, type });
    const floor = this.#kinds.get(subject)?.history.floor ?? this.#kinds.start;
    if (position < floor && (this.#log === undefined || position < this.#log.floor)) {
      throw new InvalidBookmarkError('what came after it is not kept any more', { subject: { namespace, type } });
    }
    return position;
  }

  /** The last changes before the watch, from memory or, where it reaches further back, from the log. */
  #past(
    source: LiveSource,
    count: number,
    signal: AbortSignal | undefined,
  ): readonly Change[] | Promise<readonly Change[]> {
    const { history } = source.collection;
    const past = history.last(count, (change) => source.concerns(change));
    if (past.length === count || this.#log === undefined || this.#log.floor >= history.floor) return past;
    return this.#loggedPast(this.#log, source, count, signal);
  }

  async #loggedPast(
    log: EventLog,
    source: LiveSource,
    count: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly Change[]> {
    try {
      return await abortable(log.last(source.subject, count, this.#timeline.position), signal);
    } catch (error) {
      source.close();
      throw error;
    }
  }
}
