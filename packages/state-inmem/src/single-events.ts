import type { Event, WatchSource } from '@cosi-ts/state';
import type { LiveSource } from './live-source.js';

/** The events of a source one by one. */
export class SingleEvents implements WatchSource<Event> {
  readonly #source: LiveSource;
  #batch: readonly Event[] = [];
  #at = 0;

  constructor(source: LiveSource) {
    this.#source = source;
  }

  pull(): Promise<Event | undefined> | Event | undefined {
    if (this.#at < this.#batch.length) return this.#batch[this.#at++];
    const batch = this.#source.pull();
    return batch instanceof Promise ? batch.then(this.#first) : this.#first(batch);
  }

  readonly #first = (batch: readonly Event[] | undefined): Event | undefined => {
    this.#batch = batch ?? [];
    this.#at = 1;
    return batch?.[0];
  };

  close(): void {
    this.#batch = [];
    this.#source.close();
  }
}
