import { followAbort } from '@cosi-ts/resource';

/**
 * Lets the writes that this process makes to one resource through one after the other: of two that are answered at once,
 * nobody could say which came first, and so what they have left. Writes to different resources do not wait.
 */
export class WriteOrder {
  /** The ids that are being written. Mostly nobody waits. */
  readonly #taken = new Map<string, (() => void)[] | undefined>();

  /**
   * Takes the turn of an id, to be given back with {@link leave}. Undefined when it has it at once; else a promise that
   * resolves when those that came before have given it back, and rejects, without the turn, with the signal's reason.
   */
  enter(id: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (!this.#taken.has(id)) {
      this.#taken.set(id, undefined);
      return undefined;
    }
    const waiting = this.#taken.get(id) ?? [];
    this.#taken.set(id, waiting);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const admit = () => {
        unfollow?.();
        resolve();
      };
      waiting.push(admit);
      const unfollow =
        signal &&
        followAbort(signal, (reason) => {
          waiting.splice(waiting.indexOf(admit), 1);
          reject(reason);
        });
    });
  }

  leave(id: string): void {
    const next = this.#taken.get(id)?.shift();
    if (next === undefined) this.#taken.delete(id);
    else next();
  }
}
