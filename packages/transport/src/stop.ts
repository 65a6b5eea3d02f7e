/**
 * What tells many calls to end. Unlike an abort signal it may have any number of followers without the host warning of
 * a leak.
 */
export class Stop {
  readonly #followers = new Set<(reason: unknown) => void>();
  #reason: { readonly reason: unknown } | undefined;

  get stopped(): boolean {
    return this.#reason !== undefined;
  }

  /** Calls back with the reason when it comes, or at once when it has come. Gives a function that ends that. */
  follow(callback: (reason: unknown) => void): () => void {
    if (this.#reason !== undefined) callback(this.#reason.reason);
    else this.#followers.add(callback);
    return () => this.#followers.delete(callback);
  }

  /** The first reason counts. */
  stop(reason: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = { reason };
    const followers = [...this.#followers];
    this.#followers.clear();
    for (const follower of followers) follower(reason);
  }

  throwIfStopped(): void {
    if (this.#reason !== undefined) throw this.#reason.reason;
  }
}
