import type { Timestamp, Version } from '@cosi-ts/resource';
import type { Bookmark, Event } from '@cosi-ts/state';
import type { Progress } from './progress.js';
import type { Start } from './start.js';

/** What of a resource tells whether it is the one that was seen. */
interface Seen {
  readonly gone: boolean;
  readonly version: Version;
  readonly created: Timestamp;
}

/**
 * How far a watch of one resource has come. Peers may give no bookmark before something happens: the watch is then
 * established anew, and its first event, which tells the present, is kept from the consumer when that has seen it.
 */
export class PointerProgress implements Progress<Event> {
  readonly #tailEvents: number;
  #bookmark: Bookmark | undefined;
  #seen: Seen | undefined;
  /** Whether the next event tells the present again. */
  #again = false;
  #gained = false;

  /** @param asked how the consumer wants the watch to begin */
  constructor({ bookmark, tailEvents }: Pick<Start, 'bookmark' | 'tailEvents'>) {
    this.#bookmark = bookmark;
    this.#tailEvents = tailEvents;
  }

  get bookmark(): Bookmark | undefined {
    return this.#bookmark;
  }

  get gained(): boolean {
    return this.#gained;
  }

  next(): Start {
    const tailEvents = this.#bookmark === undefined && this.#seen === undefined ? this.#tailEvents : 0;
    return { bookmark: this.#bookmark, bootstrap: false, noop: false, tailEvents };
  }

  begin(): void {
    this.#gained = false;
    this.#again = this.#bookmark === undefined && this.#seen !== undefined;
  }

  take(events: readonly Event[]): readonly Event[] {
    return events.filter((event) => this.#isGiven(event));
  }

  #isGiven(event: Event): boolean {
    if (event.type === 'errored') return true;
    if (event.bookmark !== undefined) this.#bookmark = event.bookmark;
    if (event.type === 'noop' || event.type === 'bootstrapped') return false;
    const { version, created } = event.resource.metadata;
    const seen = { gone: event.type === 'destroyed', version, created };
    const isKnown = this.#again && this.#seen !== undefined && isSame(this.#seen, seen);
    this.#again = false;
    this.#gained = true;
    this.#seen = seen;
    return !isKnown;
  }
}

/** What is gone has no version any more when it is told again. */
function isSame(a: Seen, b: Seen): boolean {
  if (a.gone || b.gone) return a.gone && b.gone;
  return a.version === b.version && a.created.equals(b.created);
}
