import type { Pointer } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import type { Feed } from './collection.js';
import type { Change, HistoryEntry } from './history-entry.js';
import { LiveSource, type LiveSourceInit } from './live-source.js';
import { changeEvent, visible } from './watch-events.js';

/**
 * A watcher of one resource. It follows the chain of events about that resource, so that changes of others cost it
 * neither time nor an overrun.
 */
export class PointerSource extends LiveSource {
  override readonly subject: Pointer;
  readonly #feed: Feed;

  constructor(init: LiveSourceInit, id: string) {
    super(init);
    const { namespace, type } = this.collection.kind;
    this.subject = { namespace, type, id };
    this.#feed = this.collection.join(id);
  }

  override concerns(change: Change): boolean {
    return change.resource.metadata.id === this.subject.id;
  }

  override readonly see = (change: Change): Event | undefined => changeEvent(change, this.timeline);

  protected override reaches(oldest: number): boolean {
    const { history } = this.collection;
    let number = this.#feed.lastEvent;
    while (number >= this.cursor && number >= oldest) number = history.at(number).previous;
    return number < this.cursor;
  }

  /** The chain is whole only from the time on at which the resource is watched: what is older is searched for. */
  protected override resume(position: number): readonly Event[] {
    const { history } = this.collection;
    const from = history.numberAfter(position);
    this.cursor = history.next;
    return visible(history.entries(from, history.next), (change) =>
      this.concerns(change) ? this.see(change) : undefined,
    );
  }

  protected override events(from: number): readonly Event[] {
    const { history } = this.collection;
    const entries: HistoryEntry[] = [];
    for (let number = this.#feed.lastEvent; number >= from; ) {
      const entry = history.at(number);
      entries.push(entry);
      number = entry.previous;
    }
    return visible(entries.reverse(), this.see);
  }

  protected override sleep(): void {
    this.#feed.bell.add(this);
  }

  protected override stopSleeping(): void {
    this.#feed.bell.delete(this);
  }

  protected override leave(): void {
    this.collection.leave(this.subject.id);
  }
}
