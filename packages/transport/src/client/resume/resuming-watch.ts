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
import { linkSignals } from '../../linked-signal.js';
import type { Logger } from '../../logger.js';
import type { EventStream, OpenStream } from './event-stream.js';
import type { Progress } from './progress.js';
import { isRefusal, refusedBookmark } from './refusal.js';
import type { Start } from './start.js';

export interface ResumeOptions {
  readonly resume: boolean;
  readonly resumeBackoff: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /**
   * A stream on which nothing came for so long is replaced by another one, and so is an attempt to establish one. For
   * hosts that do not tell when a server falls silent. Undefined: never.
   */
  readonly maxSilenceMs: number | undefined;
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

type State = Live | { readonly name: 'broken'; readonly error: Error } | { readonly name: 'silent' | 'ended' };

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
  #items: readonly T[] = [];
  #at = 0;
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
    return this.#at < this.#items.length ? this.#items[this.#at++] : this.#pulled();
  }

  async #pulled(): Promise<T | undefined> {
    for (;;) {
      if (this.#state.name === 'ended' || this.#isClosed) return undefined;
      this.#items = await this.#step(this.#state);
      this.#at = 0;
      if (this.#items.length > 0) return this.#items[this.#at++];
    }
  }

  #step(state: State): Promise<readonly T[]> {
    if (state.name === 'live') return this.#read(state);
    return this.#resume(state.name === 'broken' ? state.error : undefined);
  }

  async #read(live: Live): Promise<readonly T[]> {
    let events: readonly Event[] | undefined;
    try {
      events = await this.#next(live.stream);
    } catch (error) {
      return this.#broke(error as Error, live);
    }
    if (events === undefined) {
      this.#state = { name: 'silent' };
      return [];
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

  /** Undefined when nothing came for too long. */
  #next(stream: EventStream): Promise<readonly Event[] | undefined> {
    const { maxSilenceMs, resume } = this.#options;
    if (maxSilenceMs === undefined || !resume || this.#progress.bookmark === undefined) return stream.next();
    return this.#nextInTime(stream, maxSilenceMs);
  }

  async #nextInTime(stream: EventStream, maxSilenceMs: number): Promise<readonly Event[] | undefined> {
    const { clock } = this.#options;
    let isSilent = false;
    const timer = clock.schedule(maxSilenceMs, () => {
      isSilent = true;
      stream.close();
    });
    try {
      return await stream.next();
    } catch (error) {
      if (isSilent && !this.#stop.signal.aborted) return undefined;
      throw error;
    } finally {
      timer.cancel();
    }
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

  /** @param broken what ended the stream before, unless it was only silent */
  async #resume(broken: Error | undefined): Promise<readonly T[]> {
    const start = this.#progress.next();
    if (start === undefined) return this.#end(this.#lost(broken));
    const { signal } = this.#stop;
    try {
      if (broken !== undefined) await this.#wait(broken, start.bookmark);
      const stream = await this.#reopen(start);
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

  async #wait(broken: Error, bookmark: Bookmark | undefined): Promise<void> {
    const { clock, logger } = this.#options;
    const retryInMs = this.#backoff.nextMs();
    const fields = {
      err: broken,
      ...this.#subject,
      bookmark: bookmark === undefined ? undefined : hex(bookmark),
      aggregated: this.#aggregates,
      attempt: this.#backoff.attempts,
      retryInMs,
    };
    const how = bookmark === undefined ? 'begin again' : 'resume from the bookmark';
    logger.warn(fields, `a watch broke, will ${how}`);
    await sleep(clock, retryInMs, this.#stop.signal);
  }

  async #reopen(start: Start): Promise<EventStream> {
    const { clock, maxSilenceMs } = this.#options;
    if (maxSilenceMs === undefined) return this.#open(start, this.#aggregates, this.#stop.signal);
    const silence = new UnavailableError(`nothing came for ${maxSilenceMs} ms`, { subject: this.#subject });
    const attempt = linkSignals(this.#stop.signal);
    const timer = clock.schedule(maxSilenceMs, () => attempt.abort(silence));
    try {
      return await this.#open(start, this.#aggregates, attempt.signal);
    } finally {
      timer.cancel();
      attempt.unlink();
    }
  }

  #live(stream: EventStream, fresh: boolean): Live {
    return { name: 'live', stream, sinceMs: this.#options.clock.monotonicMs(), fresh };
  }

  #end(error: Error): readonly T[] {
    this.#state = { name: 'ended' };
    return this.#progress.take([{ type: 'errored', error }]);
  }

  #lost(cause: Error | undefined): Error {
    const message = `the watch broke before there was a bookmark to resume it from: ${cause?.message}`;
    return new UnavailableError(message, { subject: this.#subject, cause });
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
