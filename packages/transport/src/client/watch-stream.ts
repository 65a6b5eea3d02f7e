import type { wire } from '@cosi-ts/proto';
import { type Kind, UnavailableError } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { cancelSignal } from '../linked-signal.js';
import { readEvents } from './events.js';
import type { EventStream } from './resume/event-stream.js';
import { errorOf } from './status.js';

/** Makes the call of a watch. */
export type CallWatch = (signal: AbortSignal) => AsyncIterable<wire.WatchResponse>;

/** The stream of one call. */
export class WatchStream implements EventStream {
  readonly #messages: AsyncIterator<wire.WatchResponse>;
  readonly #abort: () => void;
  readonly #kind: Kind;

  private constructor(messages: AsyncIterator<wire.WatchResponse>, abort: () => void, kind: Kind) {
    this.#messages = messages;
    this.#abort = abort;
    this.#kind = kind;
  }

  /**
   * Resolves when the server has established the watch, which its first message says, whatever is in it. Rejects with
   * what it refused the watch with. The signal matters until then only.
   */
  static async establish(call: CallWatch, kind: Kind, signal: AbortSignal): Promise<WatchStream> {
    const linked = cancelSignal(signal);
    try {
      const messages = call(linked.signal)[Symbol.asyncIterator]();
      const first = await messages.next();
      if (first.done === true) throw ended(kind);
      signal.throwIfAborted();
      return new WatchStream(messages, () => linked.abort(), kind);
    } catch (error) {
      linked.abort();
      throw error;
    } finally {
      linked.unlink();
    }
  }

  async next(): Promise<readonly Event[]> {
    let result: IteratorResult<wire.WatchResponse>;
    try {
      result = await this.#messages.next();
    } catch (error) {
      throw errorOf(error, 'watch', this.#kind);
    }
    if (result.done === true) throw ended(this.#kind);
    return readEvents(result.value, this.#kind);
  }

  close(): void {
    this.#abort();
  }
}

function ended(kind: Kind): UnavailableError {
  return new UnavailableError('the server ended the watch', { subject: kind });
}
