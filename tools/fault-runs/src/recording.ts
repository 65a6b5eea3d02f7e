import type { Event, Watch } from '@cosi-ts/state';
import { eventText } from './things.js';

/** Follows a watch to its end, and keeps what it gave. */
export class Recording {
  readonly name: string;
  readonly texts: string[] = [];
  /** Why the watch ended, when it did without having been told to. */
  failure: string | undefined;
  readonly #watch: Watch<Event> | Watch<readonly Event[]>;
  readonly #done: Promise<void>;
  #closed = false;
  #wake: () => void = () => {};

  constructor(name: string, watch: Watch<Event> | Watch<readonly Event[]>) {
    this.name = name;
    this.#watch = watch;
    this.#done = this.#follow();
  }

  /** Resolves when something has come since. */
  async more(than: number, signal: AbortSignal): Promise<void> {
    while (this.texts.length <= than && this.failure === undefined && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#watch.close();
    await this.#done;
  }

  async #follow(): Promise<void> {
    try {
      for await (const item of this.#watch) {
        for (const event of 'type' in item ? [item] : item) {
          if (event.type === 'errored') this.failure = String(event.error.stack);
          this.texts.push(eventText(event));
        }
        this.#wake();
      }
      if (!this.#closed) this.failure ??= 'it ended quietly';
    } catch (error) {
      this.failure = String(error);
    }
    this.#wake();
  }
}
