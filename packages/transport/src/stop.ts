import { Bag } from './bag.js';

/**
 * What tells many calls to end. Unlike an abort signal it may have any number of followers without the host warning of
 * a leak.
 */
export class Stop {
  readonly #followers = new Bag<(reason: unknown) => void>();
  #reason: { readonly reason: unknown } | undefined;

  get stopped(): boolean {
    return this.#reason !== undefined;
  }

  /** Calls back with the reason when it comes, or at once when it has come. Gives a function that ends that. */
  follow(callback: (reason: unknown) => void): () => void {
    if (this.#reason !== undefined) {
      callback(this.#reason.reason);
      return () => {};
    }
    const follower = this.#followers.add(callback);
    return () => this.#followers.remove(follower);
  }

  /** The first reason counts. */
  stop(reason: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = { reason };
    for (const follower of this.#followers.clear()) follower(reason);
  }

  throwIfStopped(): void {
    if (this.#reason !== undefined) throw this.#reason.reason;
  }
}
