import { followAbort } from '@cosi-ts/resource';

/**
 * A stream of events, or of arrays of them. It ends, and frees all that it held, when the loop over it is left, when
 * it is closed or disposed of, or when its signal aborts; after an event of type `errored` it has ended too. Only one
 * `next` at a time: a second one while the first is pending rejects with a `TypeError`.
 */
export interface Watch<T> extends AsyncIterableIterator<T, undefined>, AsyncDisposable {
  next(): Promise<IteratorResult<T, undefined>>;
  return(): Promise<IteratorResult<T, undefined>>;
  /** Ends the watch; a pending `next` gives its end. Can be called any number of times. */
  close(): Promise<void>;
  [Symbol.asyncIterator](): Watch<T>;
}

/** Where a {@link Watch} gets its items from. */
export interface WatchSource<T> {
  /** The next item, or undefined at the end. Never called twice at a time, nor after it gave undefined or threw. */
  pull(): Promise<T | undefined> | T | undefined;
  /** Frees what is held, and lets a pending `pull` give undefined. Called once, also after the end. */
  close(): void | Promise<void>;
}

/** Makes a watch of a source. */
export function createWatch<T>(source: WatchSource<T>, signal?: AbortSignal): Watch<T> {
  return new SourceWatch(source, signal);
}

class SourceWatch<T> implements Watch<T> {
  readonly #source: WatchSource<T>;
  readonly #unfollow: (() => void) | undefined;
  #pulling = false;
  #closing: Promise<void> | undefined;

  constructor(source: WatchSource<T>, signal: AbortSignal | undefined) {
    this.#source = source;
    // Whoever calls close later gets the same promise, and with it the failure.
    const onAbort = () => void this.close().catch(() => undefined);
    this.#unfollow = signal && followAbort(signal, onAbort);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#closing !== undefined) return Promise.resolve({ done: true, value: undefined });
    if (this.#pulling) {
      return Promise.reject(new TypeError('next() was called while another next() of this watch is pending'));
    }
    let pulled: Promise<T | undefined> | T | undefined;
    try {
      pulled = this.#source.pull();
    } catch (error) {
      return this.#failed(error);
    }
    if (pulled instanceof Promise) return this.#awaited(pulled);
    // What is there already takes one turn of the microtask queue, as a write does: so a reader keeps up with a writer
    // that awaits each of its writes.
    return pulled === undefined ? this.#ended() : Promise.resolve({ done: false, value: pulled });
  }

  async #awaited(pulled: Promise<T | undefined>): Promise<IteratorResult<T, undefined>> {
    this.#pulling = true;
    try {
      const item = await pulled;
      // An item that comes in while the watch is closed is dropped: nobody is to see events after the end.
      if (item !== undefined && this.#closing === undefined) return { done: false, value: item };
    } catch (error) {
      return this.#failed(error);
    } finally {
      this.#pulling = false;
    }
    return this.#ended();
  }

  async #failed(error: unknown): Promise<never> {
    await this.close();
    throw error;
  }

  async #ended(): Promise<IteratorResult<T, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#unfollow?.();
    await this.#source.close();
  }

  [Symbol.asyncIterator](): Watch<T> {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The watch with each item changed. The function must not throw. */
export function mapWatch<T, U>(watch: Watch<T>, change: (item: T) => U): Watch<U> {
  return createWatch<U>({
    async pull() {
      const result = await watch.next();
      return result.done === true ? undefined : change(result.value);
    },
    close: () => watch.close(),
  });
}

/** The events of an aggregated watch one by one. */
export function singleEvents<T>(watch: Watch<readonly T[]>): Watch<T> {
  let batch: readonly T[] = [];
  let at = 0;
  const pullNext = async (): Promise<T | undefined> => {
    do {
      const result = await watch.next();
      if (result.done === true) return undefined;
      batch = result.value;
      at = 0;
    } while (batch.length === 0);
    return batch[at++];
  };
  return createWatch<T>({
    pull: () => (at < batch.length ? batch[at++] : pullNext()),
    close: () => watch.close(),
  });
}
