import { ClosedError, type Subject } from '@cosi-ts/resource';
import type { Closable } from '@cosi-ts/state';
import { cancelSignal } from '../linked-signal.js';
import type { Rpc } from '../rpc.js';
import { Stop } from '../stop.js';
import { errorOf } from './status.js';

/** Calls that wait for something and so would hold up a close. */
const waiting: ReadonlySet<Rpc> = new Set<Rpc>(['watch', 'teardownAndDestroy']);

/** The calls of one client that are in progress. */
export class Calls implements Closable {
  readonly #closing = new Stop();
  readonly #active = new Set<Promise<unknown>>();

  get closed(): boolean {
    return this.#closing.stopped;
  }

  /**
   * Runs a call with a signal of its own. Rejects with the caller's reason when the caller's signal aborts, with
   * `closed` after {@link close}, and with what the peer's status means.
   */
  async run<T>(
    rpc: Rpc,
    subject: Subject,
    signal: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#closing.throwIfStopped();
    signal?.throwIfAborted();
    const closing = waiting.has(rpc) ? this.#closing : undefined;
    const linked = cancelSignal(signal, closing);
    const active = call(linked.signal);
    this.#active.add(active);
    try {
      return await active;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      closing?.throwIfStopped();
      throw errorOf(error, rpc, subject);
    } finally {
      linked.unlink();
      this.#active.delete(active);
    }
  }

  /** Ends the calls that wait, and waits for the others. */
  async close(): Promise<void> {
    this.#closing.stop(new ClosedError('the remote state is closed'));
    await Promise.allSettled(this.#active);
  }
}
