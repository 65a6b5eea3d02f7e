import { type Kind, UnavailableError } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { cancelSignal } from '../linked-signal.js';
import type { EventStream } from './resume/event-stream.js';
import { errorOf } from './status.js';

/** Makes the call of a watch. Gives its messages, all that have come at a time. */
export type CallWatch = (signal: AbortSignal) => AsyncIterable<readonly Uint8Array[]>;

/** Gives the events of a message. */
export type ReadEvents = (message: Uint8Array) => readonly Event[];

/** The stream of one call. */
export class WatchStream implements EventStream {
  readonly #messages: AsyncIterator<readonly Uint8Array[]>;
  readonly #read: ReadEvents;
  readonly #abort: () => void;
  readonly #kind: Kind;
  /** Messages that have come and were not asked for yet. */
  #waiting: readonly Uint8Array[];

  private constructor(
    messages: AsyncIterator<readonly Uint8Array[]>,
    waiting: readonly Uint8Array[],
    read: ReadEvents,
    abort: () => void,
    kind: Kind,
  ) {
    this.#messages = messages;
    this.#waiting = waiting;
    this.#read = read;
    this.#abort = abort;
    this.#kind = kind;
  }

  /**
   * Resolves when the server has established the watch, which its first message says, whatever is in it. Rejects with
   * what it refused the watch with. The signal matters until then only.
   */
  static async establish(
    call: CallWatch,
    read: ReadEvents,
    kind: Kind,
    signal: AbortSignal | undefined,
  ): Promise<WatchStream> {
    const linked = cancelSignal(signal);
    try {
      const messages = call(linked.signal)[Symbol.asyncIterator]();
      const first = await messages.next();
      if (first.done === true) throw ended(kind);
      signal?.throwIfAborted();
      return new WatchStream(messages, first.value.slice(1), read, () => linked.abort(), kind);
    } catch (error) {
      linked.abort();
      throw error;
    } finally {
      linked.unlink();
    }
  }

  /** The events of all messages that have come. */
  async next(): Promise<readonly Event[]> {
    const messages = this.#waiting.length > 0 ? this.#waiting : await this.#some();
    this.#waiting = [];
    if (messages.length === 1) return this.#read(messages[0] as Uint8Array);
    const events: Event[] = [];
    for (const message of messages) {
      for (const event of this.#read(message)) events.push(event);
      if (events.at(-1)?.type === 'errored') break;
    }
    return events;
  }

  async #some(): Promise<readonly Uint8Array[]> {
    let result: IteratorResult<readonly Uint8Array[]>;
    try {
      result = await this.#messages.next();
    } catch (error) {
      throw errorOf(error, 'watch', this.#kind);
    }
    if (result.done === true) throw ended(this.#kind);
    return result.value;
  }

  close(): void {
    this.#abort();
  }
}

function ended(kind: Kind): UnavailableError {
  return new UnavailableError('the server ended the watch', { subject: kind });
}
