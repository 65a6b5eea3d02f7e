import { ClosedError, followAbort, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import { type State, sleep } from '@cosi-ts/state';
import { errorOf } from '../thrown.js';
import { jitteredRetryMs, type ResolvedStateElectionOptions } from './election-options.js';
import { type LeaseSpec, readLease } from './lease-resource.js';

/** The lease as it was seen last. */
export interface SeenLease {
  /** Undefined when it is absent. */
  readonly resource: TypedResource<LeaseSpec> | undefined;
  /** When this state of it was seen first, by the monotonic clock. */
  readonly sinceMs: number;
}

/**
 * What a candidate knows of a lease. It is watched, so that what others do is known at once; where the watch fails, the
 * candidate reads.
 */
export class LeaseView {
  readonly #pointer: TypedPointer<LeaseSpec>;
  readonly #state: State;
  readonly #options: ResolvedStateElectionOptions;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #seen: SeenLease | undefined;
  /** When the lease that was seen runs out, whatever came of the resource since. */
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #transitions = 0;
  #live = false;
  #onChange: (() => void) | undefined;

  constructor(state: State, pointer: TypedPointer<LeaseSpec>, options: ResolvedStateElectionOptions) {
    this.#state = state;
    this.#pointer = pointer;
    this.#options = options;
    this.#ended = this.#follow();
  }

  get seen(): SeenLease | undefined {
    return this.#seen;
  }

  /** The highest number of transitions that was seen. */
  get transitions(): number {
    return this.#transitions;
  }

  /** Whether changes come by themselves. */
  get live(): boolean {
    return this.#live;
  }

  /**
   * When the lease can be taken, by the monotonic clock.
   *
   * @param isOver whether it is known of a holder that it does not regard the lease as its own any more
   */
  freeAtMs(isOver: (holder: string) => boolean): number {
    const resource = this.#seen?.resource;
    if (resource === undefined) return this.#heldUntilMs;
    const { holder } = readLease(resource, this.#options.leaseMs);
    return holder === '' || isOver(holder) ? Number.NEGATIVE_INFINITY : this.#heldUntilMs;
  }

  /** Notes what was read. What is as it was before is no news, and does not make a lease younger. */
  note(resource: TypedResource<LeaseSpec> | undefined): void {
    if (this.#seen !== undefined && isSame(this.#seen.resource, resource)) return;
    const sinceMs = this.#options.clock.monotonicMs();
    this.#seen = { resource, sinceMs };
    if (resource !== undefined) {
      const { holder, durationMs, transitions } = readLease(resource, this.#options.leaseMs);
      this.#transitions = Math.max(this.#transitions, transitions);
      this.#heldUntilMs = holder === '' ? Number.NEGATIVE_INFINITY : sinceMs + durationMs;
    }
    this.#onChange?.();
  }

  /** Resolves at the next news, or after the time. Rejects with the signal's reason. One at a time. */
  async changed(withinMs: number, signal: AbortSignal): Promise<void> {
    const news = new AbortController();
    const onAbort = () => news.abort();
    this.#onChange = onAbort;
    const unfollow = followAbort(signal, onAbort);
    try {
      signal.throwIfAborted();
      await sleep(this.#options.clock, withinMs, news.signal);
    } catch (error) {
      if (!news.signal.aborted) throw error;
    } finally {
      this.#onChange = undefined;
      unfollow();
    }
    signal.throwIfAborted();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#watch();
      } catch (error) {
        this.#live = false;
        if (!signal.aborted) await this.#pause(errorOf(error));
      }
    }
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    const watch = await this.#state.watch(this.#pointer, { signal });
    try {
      for await (const event of watch) {
        if (event.type === 'errored') throw event.error;
        this.#live = true;
        if (event.type === 'destroyed') this.note(undefined);
        else if (event.type === 'created' || event.type === 'updated') this.note(event.resource);
      }
    } finally {
      await watch.close();
    }
    if (!signal.aborted) throw new ClosedError('the watch ended');
  }

  async #pause(err: Error): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#stop;
    const retryInMs = jitteredRetryMs(this.#options);
    logger.warn({ err, lease: this.#pointer.id, retryInMs }, 'the watch of a lease broke');
    try {
      await sleep(clock, retryInMs, signal);
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  }
}

function isSame(a: TypedResource<LeaseSpec> | undefined, b: TypedResource<LeaseSpec> | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.metadata.version === b.metadata.version && a.metadata.created.equals(b.metadata.created);
}
