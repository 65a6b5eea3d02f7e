import { ClosedError } from '@cosi-ts/resource';
import { createWatch, type Event, type Watch } from '@cosi-ts/state';
import type { Kinds } from './kinds.js';
import type { LiveSource } from './live-source.js';
import { SingleEvents } from './single-events.js';

/** The watches of a state that have not ended. */
export class OpenWatches {
  readonly #kinds: Kinds;
  readonly #watches = new Map<LiveSource, Watch<unknown>>();
  #closed = false;

  constructor(kinds: Kinds) {
    this.#kinds = kinds;
  }

  get size(): number {
    return this.#watches.size;
  }

  aggregated(source: LiveSource, signal: AbortSignal | undefined): Watch<readonly Event[]> {
    this.#check(source, signal);
    return this.#opened(source, createWatch(source, signal));
  }

  single(source: LiveSource, signal: AbortSignal | undefined): Watch<Event> {
    this.#check(source, signal);
    return this.#opened(source, createWatch(new SingleEvents(source), signal));
  }

  /** While a watch was being established, its caller may have given up, or the state been closed. */
  #check(source: LiveSource, signal: AbortSignal | undefined): void {
    if (!this.#closed && signal?.aborted !== true) return;
    source.close();
    signal?.throwIfAborted();
    throw new ClosedError('the state was closed', { subject: source.subject });
  }

  #opened<T>(source: LiveSource, watch: Watch<T>): Watch<T> {
    this.#watches.set(source, watch);
    return watch;
  }

  ended(source: LiveSource): void {
    this.#watches.delete(source);
    this.#kinds.tidy(source.collection);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#watches.values()].map((watch) => watch.close()));
  }
}
