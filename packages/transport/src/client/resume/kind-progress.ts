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
  #bookmark: Bookmark | undefined;
  #bootstrapping: boolean;
  /** Whether the consumer asked for a noop that it has not been given, and that still has its place. */
  #owesNoop: boolean;
  #gained = false;

  /** @param asked how the consumer wants the watch to begin */
  constructor(asked: Start, shape: Shape<T>) {
    this.#bookmark = asked.bookmark;
    this.#bootstrapping = asked.bootstrap;
    this.#owesNoop = asked.noop;
    this.#shape = shape;
  }

  get bookmark(): Bookmark | undefined {
    return this.#bookmark;
  }

  get gained(): boolean {
    return this.#gained;
  }

  next(): Start | undefined {
    if (this.#bookmark !== undefined) {
      return { bookmark: this.#bookmark, bootstrap: false, noop: this.#owesNoop, tailEvents: 0 };
    }
    return this.#bootstrapping ? { bookmark: undefined, bootstrap: true, noop: true, tailEvents: 0 } : undefined;
  }

  begin(): void {
    this.#gained = false;
    if (this.#bootstrapping) this.#shape.restart();
  }

  take(events: readonly Event[]): readonly T[] {
    return this.#shape.add(events.filter((event) => this.#isGiven(event)));
  }

  #isGiven(event: Event): boolean {
    if (event.type === 'errored') return true;
    if (event.type === 'bootstrapped') this.#bootstrapping = false;
    // A position within the bootstrap would pass over the rest of it.
    if (event.bookmark !== undefined && !this.#bootstrapping) {
      this.#bookmark = event.bookmark;
      this.#gained = true;
    }
    const isNoop = event.type === 'noop';
    const isGiven = !isNoop || this.#owesNoop;
    // After a live event it would come too late.
    if (isNoop || (!this.#bootstrapping && event.type !== 'bootstrapped')) this.#owesNoop = false;
    return isGiven;
  }
}
