import type { Event, WatchSource } from '@cosi-ts/state';
import type { WatchStream } from './watch-stream.js';

/**
 * What a watch gets from its stream. A stream that ends without having been asked to ends the watch with an errored
 * event: nothing ends quietly.
 */
export class RemoteWatch<T> implements WatchSource<T> {
  readonly #stream: WatchStream;
  readonly #shape: (events: readonly Event[]) => Iterable<T>;
  readonly #onEnd: () => void;
  #items: Iterator<T> = [][Symbol.iterator]();
  #ended = false;
  #closed = false;

  /**
   * @param shape makes the items of the watch from the events of one message
   * @param onEnd called once, when the watch is closed
   */
  constructor(stream: WatchStream, shape: (events: readonly Event[]) => Iterable<T>, onEnd: () => void) {
    this.#stream = stream;
    this.#shape = shape;
    this.#onEnd = onEnd;
  }

  async pull(): Promise<T | undefined> {
    for (;;) {
      const item = this.#items.next();
      if (item.done !== true) return item.value;
      if (this.#ended || this.#closed) return undefined;
      this.#items = this.#shape(await this.#receive())[Symbol.iterator]();
    }
  }

  async #receive(): Promise<readonly Event[]> {
    let events: readonly Event[];
    try {
      events = await this.#stream.next();
      this.#ended = events.some((event) => event.type === 'errored');
    } catch (error) {
      if (this.#closed) return [];
      events = [{ type: 'errored', error: error as Error }];
      this.#ended = true;
    }
    // The server leaves it to the client to end a stream after an errored event.
    if (this.#ended) this.#stream.close();
    return events;
  }

  close(): void {
    this.#closed = true;
    this.#stream.close();
    this.#onEnd();
  }
}
