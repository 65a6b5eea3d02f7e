import type { Event } from '@cosi-ts/state';
import type { EventFilter } from './event-filter.js';
import type { Change } from './history-entry.js';
import { LiveSource, type LiveSourceInit } from './live-source.js';
import { changeEvent, visible } from './watch-events.js';

/** A watcher of a kind. */
export class KindSource extends LiveSource {
  readonly #filter: EventFilter | undefined;

  constructor(init: LiveSourceInit, filter: EventFilter | undefined) {
    super(init);
    this.#filter = filter;
  }

  override get subject() {
    return this.collection.kind;
  }

  override concerns(): boolean {
    return true;
  }

  override readonly see = (change: Change): Event | undefined =>
    this.#filter === undefined ? changeEvent(change, this.timeline) : this.#filter.event(change, this.timeline);

  protected override reaches(oldest: number): boolean {
    return this.cursor >= oldest;
  }

  protected override resume(position: number): readonly Event[] {
    this.cursor = this.collection.history.numberAfter(position);
    return [];
  }

  protected override events(from: number, to: number): readonly Event[] {
    const { history } = this.collection;
    if (this.#filter === undefined) return history.events(from, to, this.timeline);
    return visible(history.entries(from, to), this.see);
  }

  protected override sleep(): void {
    this.collection.wakeUps.add(this);
  }

  protected override stopSleeping(): void {
    this.collection.wakeUps.delete(this);
  }

  protected override leave(): void {
    // A watcher of a kind holds nothing but its place.
  }
}
