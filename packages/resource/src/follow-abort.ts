type Follower = { readonly onAbort: (reason: unknown) => void };

const followersOf = new WeakMap<AbortSignal, Followers>();

/**
 * Calls back with the signal's reason when it aborts, or at once when it has. Gives what ends that; it does nothing after
 * the call. Any number may follow a signal: they share one listener, because hosts warn of a leak where there are more
 * than ten. Each is called, whatever others throw.
 */
export function followAbort(signal: AbortSignal, onAbort: (reason: unknown) => void): () => void {
  if (signal.aborted) {
    onAbort(signal.reason);
    return nothing;
  }
  let followers = followersOf.get(signal);
  if (followers === undefined) {
    followers = new Followers(signal);
    followersOf.set(signal, followers);
  }
  return followers.add({ onAbort });
}

const nothing = (): void => undefined;

/** All who follow one signal. Listens to it while there are any. */
class Followers {
  readonly #signal: AbortSignal;
  readonly #followers = new Set<Follower>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(follower: Follower): () => void {
    if (this.#followers.size === 0) this.#signal.addEventListener('abort', this.#aborted);
    this.#followers.add(follower);
    return () => {
      if (this.#followers.delete(follower) && this.#followers.size === 0)
        this.#signal.removeEventListener('abort', this.#aborted);
    };
  }

  readonly #aborted = (): void => {
    const { reason } = this.#signal;
    this.#signal.removeEventListener('abort', this.#aborted);
    const errors: unknown[] = [];
    // Who is let go of by one that comes before is not called any more.
    for (const follower of this.#followers) {
      this.#followers.delete(follower);
      try {
        follower.onAbort(reason);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'some who were told of an abort have thrown');
  };
}
