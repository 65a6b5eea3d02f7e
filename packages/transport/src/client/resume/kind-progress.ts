import type { Bookmark, Event } from '@cosi-ts/state';
import type { Progress } from './progress.js';
import type { Shape } from './shape.js';
import type { Start } from './start.js';

/**
 * How far a watch of a kind has come. Streams ask for the noop always, which brings a bookmark before anything happens;
 * a consumer that did not ask for one is not given any.
 */
export class KindProgress<T> implements Progress<T> {
  readonly #shape: Shape<T>;
  readonly #asked: Bookmark | undefined;
  /** The last event with a bookmark that counts. To read the bookmark can mean to copy it. */
  #last: Event | undefined;
  #bootstrapping: boolean;
  /** Whether the consumer asked for a noop that it has not been given, and that still has its place. */
  #owesNoop: boolean;
  #gained = false;

  /** @param asked how the consumer wants the watch to begin */
  constructor(asked: Start, shape: Shape<T>) {
    this.#asked = asked.bookmark;
    this.#bootstrapping = asked.bootstrap;
    this.#owesNoop = asked.noop;
    this.#shape = shape;
  }

  get bookmark(): Bookmark | undefined {
    return this.#last === undefined ? this.#asked : bookmarkOf(this.#last);
  }

  get gained(): boolean {
    return this.#gained;
  }

  next(): Start | undefined {
    const { bookmark } = this;
    if (bookmark !== undefined) return { bookmark, bootstrap: false, noop: this.#owesNoop, tailEvents: 0 };
    return this.#bootstrapping ? { bookmark: undefined, bootstrap: true, noop: true, tailEvents: 0 } : undefined;
  }

  begin(): void {
    this.#gained = false;
    if (this.#bootstrapping) this.#shape.restart();
  }

  take(events: readonly Event[]): readonly T[] {
    let given: Event[] | undefined;
    for (const [at, event] of events.entries()) {
      if (this.#isGiven(event)) given?.push(event);
      else given ??= events.slice(0, at);
    }
    return this.#shape.add(given ?? events);
  }

  #isGiven(event: Event): boolean {
    if (event.type === 'errored') return true;
    if (event.type === 'bootstrapped') this.#bootstrapping = false;
    // A position within the bootstrap would pass over the rest of it.
    if ('bookmark' in event && !this.#bootstrapping) {
      this.#last = event;
      this.#gained = true;
    }
    const isNoop = event.type === 'noop';
    const isGiven = !isNoop || this.#owesNoop;
    // After a live event it would come too late.
    if (isNoop || (!this.#bootstrapping && event.type !== 'bootstrapped')) this.#owesNoop = false;
    return isGiven;
  }
}

function bookmarkOf(event: Event): Bookmark | undefined {
  return event.type === 'errored' ? undefined : event.bookmark;
}
