import {
  isInvalidArgument,
  isInvalidBookmark,
  isOverrun,
  isUnsupported,
  type Kind,
  pointerText,
  type Timestamp,
  UnavailableError,
} from '@cosi-ts/resource';
import { Backoff, type Bookmark, type CoreState, type Event, nextTurn, sleep, type Watch } from '@cosi-ts/state';
import type { KindCache } from './cache/kind-cache.js';
import { type InputChange, KnownResources, latestOfEach } from './known-resources.js';
import type { Logger } from './logger.js';
import type { WatchReport } from './report.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';
import { errorOf } from './thrown.js';

/**
 * Is given changes, each resource at most once in a call, with the newest that is known. The backlog is what a list
 * brought: everything at the start, differences later. Must not throw.
 */
export type InputListener = (changes: readonly InputChange[], backlog: boolean) => void;

export interface InputSubscription {
  /** Resolves when the listener has been given everything that is there, and no later change is missed. */
  readonly live: Promise<void>;
  /** Resolves with true at the time of `live`, or before, with false, when listing has failed. */
  readonly tried: Promise<boolean>;
  close(): void;
}

/** Someone who waits for the first list. */
interface Waiter {
  live(): void;
  tried(live: boolean): void;
}

/** So many changes are dealt with before the host has a turn. */
const chunkSize = 512;
/** So few of a list: what came after it, and the work on it, take turns with it. */
const listChunkSize = 128;
const healthyMs = 30_000;

/**
 * The one watch of a kind on behalf of all controllers. It never ends by itself: a stream that broke is resumed from its
 * last bookmark, and where that cannot be, after an overrun for instance, everything is listed and compared with what was
 * known, so that no change is missed, deletions included.
 */
export class InputWatch {
  readonly kind: Kind;
  readonly #state: CoreState;
  readonly #options: ResolvedRuntimeOptions;
  readonly #logger: Logger;
  readonly #known = new KnownResources();
  readonly #cache: KindCache | undefined;
  readonly #listeners = new Set<InputListener>();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #backoff: Backoff;

  #bookmark: Bookmark | undefined;
  /** True until the stream has brought the whole list. */
  #isListing = false;
  /** Settles when what it has brought of the list has been gone through. */
  #listed: Promise<void> = Promise.resolve();
  #status: WatchReport['status'] = 'starting';
  #reason: string | undefined;
  #failures = 0;
  #lastActivity: Timestamp | undefined;
  #liveSinceMs: number | undefined;
  /** Undefined once everything has been listed. */
  #waiters: Waiter[] | undefined = [];

  /** @param cache is given everything before the listeners are */
  constructor(kind: Kind, state: CoreState, options: ResolvedRuntimeOptions, cache?: KindCache) {
    this.#cache = cache;
    this.kind = Object.freeze({ namespace: kind.namespace, type: kind.type });
    this.#state = state;
    this.#options = options;
    this.#logger = options.logger;
    this.#backoff = new Backoff(options.random, options.watchBackoff);
    this.#ended = this.#follow();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  subscribe(listener: InputListener): InputSubscription {
    this.#listeners.add(listener);
    let settle: (live: boolean) => void = () => undefined;
    const tried = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const live = this.#catchUp(listener, settle);
    return { live, tried, close: () => void this.#listeners.delete(listener) };
  }

  /** When a resource began to be torn down, if that was seen. */
  tornDownSince(id: string): Timestamp | undefined {
    return this.#known.tornDownSince(id);
  }

  report(): WatchReport {
    return {
      ...this.kind,
      status: this.#status,
      reason: this.#reason,
      failures: this.#failures,
      lastActivity: this.#lastActivity?.toString(),
      resources: this.#known.size,
    };
  }

  /** Ends the watch, and waits until nothing of it is left. */
  close(): Promise<void> {
    this.#listeners.clear();
    this.#stop.abort();
    this.#endWaiting();
    return Promise.all([this.#ended, this.#cache?.close()]).then(() => undefined);
  }

  /** Gives a new listener what is known already; the rest comes to it like to the others. */
  async #catchUp(listener: InputListener, tried: (live: boolean) => void): Promise<void> {
    if (this.#known.size > 0) {
      // Entries that change or go meanwhile are seen as they are when the loop comes to them.
      let chunk: InputChange[] = [];
      for (const metadata of this.#known.values()) {
        chunk.push({ metadata, gone: false });
        if (chunk.length < chunkSize) continue;
        listener(chunk, true);
        chunk = [];
        await nextTurn();
        if (!this.#listeners.has(listener)) return tried(false);
      }
      if (chunk.length > 0) listener(chunk, true);
    }
    const waiters = this.#waiters;
    if (waiters === undefined) return tried(true);
    if (this.#status === 'degraded') tried(false);
    await new Promise<void>((live) => waiters.push({ live, tried }));
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#stream();
      } catch (error) {
        if (signal.aborted) return;
        await this.#wait(errorOf(error));
      }
    }
  }

  /** One stream until it breaks, which ends in a throw; returns only when the watch is closed. */
  async #stream(): Promise<void> {
    const { signal } = this.#stop;
    const resumed = this.#bookmark !== undefined;
    this.#liveSinceMs = undefined;
    this.#isListing = !resumed;
    if (!resumed) {
      this.#known.beginList();
      this.#cache?.beginList();
    }
    const watch = await this.#open();
    try {
      if (resumed) this.#setLive();
      let first = true;
      for await (const events of watch) {
        this.#lastActivity = this.#options.clock.now();
        const broken = await this.#take(events);
        if (signal.aborted) return;
        if (broken !== undefined) {
          // An error that comes first after a resume refuses the bookmark, whatever it says.
          if ((resumed && first && events.length === 1) || refusesBookmark(broken)) this.#bookmark = undefined;
          throw broken;
        }
        first = false;
      }
    } finally {
      await watch.close();
      await this.#listed;
    }
    if (signal.aborted) return;
    throw new UnavailableError(`the watch of ${pointerText(this.kind)} ended`, { subject: this.kind });
  }

  async #open(): Promise<Watch<readonly Event[]>> {
    const { signal } = this.#stop;
    if (this.#bookmark === undefined) {
      return this.#state.watchKindAggregated(this.kind, { bootstrapContents: true, signal });
    }
    try {
      return await this.#state.watchKindAggregated(this.kind, { startFromBookmark: this.#bookmark, signal });
    } catch (error) {
      if (refusesBookmark(error)) this.#bookmark = undefined;
      throw error;
    }
  }

  /** Deals with events in chunks; gives the error that ends the stream, if there is one. */
  async #take(events: readonly Event[]): Promise<Error | undefined> {
    let changes: InputChange[] = [];
    for (const [i, event] of (this.#isListing ? this.#takeList(events) : events).entries()) {
      if (i > 0 && i % chunkSize === 0) {
        this.#tell(latestOfEach(changes), false);
        changes = [];
        await nextTurn();
        if (this.#stop.signal.aborted) return undefined;
      }
      if (event.type === 'errored') {
        this.#tell(latestOfEach(changes), false);
        return event.error;
      }
      if (event.bookmark !== undefined) this.#bookmark = event.bookmark;
      if (event.type === 'noop' || event.type === 'bootstrapped') continue;
      const change = { metadata: event.resource.metadata, gone: event.type === 'destroyed' };
      this.#known.change(change);
      this.#cache?.changed(event.resource, change.gone);
      changes.push(change);
    }
    this.#tell(latestOfEach(changes), false);
    return undefined;
  }

  /** Has the list gone through beside what comes after it, so that fresh changes do not wait, and gives that. */
  #takeList(events: readonly Event[]): readonly Event[] {
    const end = events.findIndex(({ type }) => type === 'bootstrapped');
    const isWhole = end >= 0;
    const list = isWhole ? events.slice(0, end) : events;
    this.#listed = this.#listed.then(() => this.#goThrough(list, isWhole));
    if (!isWhole) return events.filter(({ type }) => type === 'errored');
    this.#isListing = false;
    return events.slice(end);
  }

  async #goThrough(list: readonly Event[], isWhole: boolean): Promise<void> {
    for (let at = 0; at < list.length; at += listChunkSize) {
      if (at > 0) await nextTurn();
      if (this.#stop.signal.aborted) return;
      const changes: InputChange[] = [];
      for (const event of list.slice(at, at + listChunkSize)) {
        if (event.type !== 'created') continue;
        const { metadata } = event.resource;
        this.#cache?.listed(event.resource);
        if (this.#known.list(metadata)) changes.push({ metadata, gone: false });
      }
      this.#tell(changes, true);
    }
    if (!isWhole) return;
    this.#cache?.endList();
    this.#tell(this.#known.endList(), true);
    this.#setLive();
  }

  #tell(changes: readonly InputChange[], backlog: boolean): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener(changes, backlog);
  }

  #setLive(): void {
    this.#status = 'live';
    this.#reason = undefined;
    this.#liveSinceMs = this.#options.clock.monotonicMs();
    this.#lastActivity = this.#options.clock.now();
    this.#endWaiting();
  }

  #endWaiting(): void {
    for (const waiter of this.#waiters ?? []) {
      waiter.tried(true);
      waiter.live();
    }
    this.#waiters = undefined;
  }

  async #wait(error: Error): Promise<void> {
    const { clock } = this.#options;
    if (this.#liveSinceMs !== undefined && clock.monotonicMs() - this.#liveSinceMs >= healthyMs) this.#backoff.reset();
    // What the state no longer keeps will not come back by waiting; when it happens again and again it is too fast for us.
    const atOnce = this.#backoff.attempts === 0 && (isOverrun(error) || isInvalidBookmark(error));
    const backoffMs = this.#backoff.nextMs();
    const retryInMs = atOnce ? 0 : backoffMs;
    this.#status = 'degraded';
    this.#reason = error.message;
    this.#failures++;
    for (const waiter of this.#waiters ?? []) waiter.tried(false);
    const how = this.#bookmark === undefined ? 'list and compare' : 'resume';
    this.#logger.warn({ err: error, ...this.kind, retryInMs }, `the watch of an input broke, will ${how}`);
    if (atOnce) {
      await nextTurn();
      return;
    }
    try {
      await sleep(clock, retryInMs, this.#stop.signal);
    } catch (reason) {
      if (!this.#stop.signal.aborted) throw reason;
    }
  }
}

/** Whether there is no use in asking for the same position again. A peer may know of no bookmarks at all. */
function refusesBookmark(error: unknown): boolean {
  return isInvalidBookmark(error) || isOverrun(error) || isInvalidArgument(error) || isUnsupported(error);
}
