import { type CosiError, isCosiError, type Subject, sleep, UnavailableError } from '@cosi-ts/resource';
import {
  Backoff,
  type BackoffOptions,
  type Bookmark,
  type Clock,
  type Event,
  type Random,
  type WatchSource,
} from '@cosi-ts/state';
import type { Logger } from '../../logger.js';
import type { EventStream, OpenStream } from './event-stream.js';
import type { Progress } from './progress.js';
import { isRefusal, refusedBookmark } from './refusal.js';

export interface ResumeOptions {
  readonly resume: boolean;
  readonly resumeBackoff: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A stream that lasted so long was healthy: the next attempt after it is a first one again. */
const healthyMs = 30_000;

export interface FirstStream {
  readonly stream: EventStream;
  /** Whether it begins at a bookmark. */
  readonly atBookmark: boolean;
  readonly aggregated: boolean;
}

/** A stream on which events come, or may come. */
interface Live {
  readonly name: 'live';
  readonly stream: EventStream;
  readonly sinceMs: number;
  /** Whether it began at a bookmark and no event has come since. */
  fresh: boolean;
}

type State = Live | { readonly name: 'broken'; readonly error: Error } | { readonly name: 'ended' };

/**
 * What a watch gets from its streams. One that breaks is followed, after a delay, by one that begins where it had come
 * to, for as long as it takes. The watch ends with an errored event, the last one, when the server sends one, when
 * nobody could go on without missing something, and when asking again would not help.
 *
 * All happens while the consumer waits for an item: a break is noticed then.
 */
export class ResumingWatch<T> implements WatchSource<T> {
  readonly #progress: Progress<T>;
  readonly #aggregated: boolean;
  readonly #subject: Subject;
  readonly #open: OpenStream;
  readonly #options: ResumeOptions;
  readonly #backoff: Backoff;
  readonly #expiry: AbortSignal | undefined;
  readonly #onExpiry: () => void;
  readonly #onEnd: () => void;
  /** Aborts when the watch is closed, and when its time is up. */
  readonly #stop = new AbortController();
  #isClosed = false;
  #state: State;
  #items: Iterator<T> = [][Symbol.iterator]();
  /** Whether the next stream is to be aggregated: not after one whose messages were too large. */
  #aggregates: boolean;

  /**
   * @param first the stream that was established for the consumer
   * @param expiry aborts, with the error that the consumer is given, when the time of the watch is up
   * @param onEnd called once, when the watch is closed
   */
  constructor(
    first: FirstStream,
    progress: Progress<T>,
    subject: Subject,
    open: OpenStream,
    expiry: AbortSignal | undefined,
    options: ResumeOptions,
    onEnd: () => void,
  ) {
    this.#progress = progress;
    this.#aggregated = first.aggregated;
    this.#aggregates = first.aggregated;
    this.#subject = subject;
    this.#open = open;
    this.#options = options;
    this.#backoff = new Backoff(options.random, options.resumeBackoff);
    this.#onEnd = onEnd;
    this.#state = this.#live(first.stream, first.atBookmark);
    this.#expiry = expiry;
    this.#onExpiry = () => this.#halt();
    expiry?.addEventListener('abort', this.#onExpiry, { once: true });
  }

  pull(): Promise<T | undefined> | T | undefined {
    const item = this.#items.next();
    return item.done === true ? this.#pulled() : item.value;
  }

  async #pulled(): Promise<T | undefined> {
    for (;;) {
      if (this.#state.name === 'ended' || this.#isClosed) return undefined;
      this.#items = (await this.#step(this.#state))[Symbol.iterator]();
      const item = this.#items.next();
      if (item.done !== true) return item.value;
    }
  }

  async #step(state: Exclude<State, { readonly name: 'ended' }>): Promise<readonly T[]> {
    return state.name === 'live' ? this.#read(state) : this.#resume(state.error);
  }

  async #read(live: Live): Promise<readonly T[]> {
    let events: readonly Event[];
    try {
      events = await live.stream.next();
    } catch (error) {
      return this.#broke(error as Error, live);
    }
    const last = events.findIndex(({ type }) => type === 'errored');
    if (last < 0) {
      live.fresh &&= events.every(({ type }) => type === 'noop');
      return this.#progress.take(events);
    }
    const { error } = events[last] as Extract<Event, { readonly type: 'errored' }>;
    const isFirst = live.fresh && events.slice(0, last).every(({ type }) => type === 'noop');
    // The server leaves it to the client to end a stream after an errored event.
    live.stream.close();
    return [
      ...this.#progress.take(events.slice(0, last)),
      ...this.#end(isFirst ? refusedBookmark(error, this.#subject) : error),
    ];
  }

  #broke(error: Error, { sinceMs }: Live): readonly T[] {
    if (this.#stop.signal.aborted) return this.#stopped();
    if (!this.#options.resume) return this.#end(error);
    if (this.#options.clock.monotonicMs() - sinceMs >= healthyMs) {
      this.#backoff.reset();
      this.#aggregates = this.#aggregated;
    }
    if (isCosiError(error) && error.code === 'resource-exhausted') {
      // What did not fit beside others may fit alone; what does not fit alone never will.
      if (!this.#aggregates && !this.#progress.gained) return this.#end(error);
      this.#aggregates = false;
    }
    this.#state = { name: 'broken', error };
    return [];
  }

  async #resume(broken: Error): Promise<readonly T[]> {
    const start = this.#progress.next();
    if (start === undefined) return this.#end(this.#lost(broken));
    const { clock } = this.#options;
    const { signal } = this.#stop;
    const retryInMs = this.#backoff.nextMs();
    this.#log(broken, start.bookmark, retryInMs);
    try {
      await sleep(clock, retryInMs, signal);
      const stream = await this.#open(start, this.#aggregates, signal);
      this.#state = this.#live(stream, start.bookmark !== undefined);
      if (signal.aborted) stream.close();
      else this.#progress.begin();
    } catch (error) {
      if (signal.aborted) return this.#stopped();
      if (isRefusal(error, start)) return this.#end(error as CosiError);
      this.#state = { name: 'broken', error: error as Error };
    }
    return [];
  }

  #live(stream: EventStream, fresh: boolean): Live {
    return { name: 'live', stream, sinceMs: this.#options.clock.monotonicMs(), fresh };
  }

  #end(error: Error): readonly T[] {
    this.#state = { name: 'ended' };
    return this.#progress.take([{ type: 'errored', error }]);
  }

  #lost(cause: Error): Error {
    const message = `the watch broke before there was a bookmark to resume it from: ${cause.message}`;
    return new UnavailableError(message, { subject: this.#subject, cause });
  }

  #log(err: Error, bookmark: Bookmark | undefined, retryInMs: number): void {
    const fields = {
      err,
      ...this.#subject,
      bookmark: bookmark === undefined ? undefined : hex(bookmark),
      aggregated: this.#aggregates,
      attempt: this.#backoff.attempts,
      retryInMs,
    };
    const how = bookmark === undefined ? 'begin again' : 'resume from the bookmark';
    this.#options.logger.warn(fields, `a watch broke, will ${how}`);
  }

  /** What is given once nothing more is waited for. */
  #stopped(): readonly T[] {
    return this.#isClosed ? [] : this.#end(this.#expiry?.reason);
  }

  #halt(): void {
    this.#stop.abort();
    if (this.#state.name === 'live') this.#state.stream.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#expiry?.removeEventListener('abort', this.#onExpiry);
    this.#halt();
    this.#onEnd();
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
