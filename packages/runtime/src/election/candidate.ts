import {
  isAlreadyExists,
  isNotFound,
  isVersionConflict,
  type TypedPointer,
  type TypedResource,
} from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import { settlesWithin } from '../grace.js';
import { errorOf } from '../thrown.js';
import { jitteredRetryMs, type ResolvedStateElectionOptions } from './election-options.js';
import { HeldLease } from './held-lease.js';
import { createLease, type LeaseSpec, updateLease } from './lease-resource.js';
import { LeaseView } from './lease-view.js';
import { timedCall } from './timed-call.js';
import { momentOf } from './validity.js';

/** Which holders of this process are known to do nothing in the name of a lease any more. */
export interface FormerHolders {
  has(holder: string): boolean;
  add(holder: string): void;
  /** Another one has the lease: what was before does not matter any more. */
  clear(): void;
}

/** Someone who waits for a lease, once. */
export class Candidate {
  readonly #holder: string;
  readonly #pointer: TypedPointer<LeaseSpec>;
  readonly #former: FormerHolders;
  readonly #state: State;
  readonly #options: ResolvedStateElectionOptions;
  readonly #view: LeaseView;

  constructor(
    holder: string,
    pointer: TypedPointer<LeaseSpec>,
    former: FormerHolders,
    state: State,
    options: ResolvedStateElectionOptions,
  ) {
    this.#holder = holder;
    this.#pointer = pointer;
    this.#former = former;
    this.#state = state;
    this.#options = options;
    this.#view = new LeaseView(state, pointer, options);
  }

  /** Resolves with the lease. Rejects with the signal's reason, and holds nothing then. */
  async campaign(signal: AbortSignal): Promise<HeldLease> {
    try {
      const lease = await this.#win(signal);
      // It counts from now on: what is left of the watch is not waited for.
      void this.#view.close();
      return lease;
    } catch (error) {
      await settlesWithin(this.#options.clock, this.#options.callTimeoutMs, this.#view.close());
      throw error;
    }
  }

  async #win(signal: AbortSignal): Promise<HeldLease> {
    for (;;) {
      const { seen } = this.#view;
      const lease = await this.#tryOnce();
      if (signal.aborted) {
        // An attempt whose answer never came may have succeeded.
        this.#former.add(this.#holder);
        await lease?.release();
        throw signal.reason;
      }
      // The answer can come so late that the lease has run out.
      if (lease?.held === true) return lease;
      await lease?.release();
      if (this.#view.seen === seen) await this.#view.changed(this.#pauseMs(), signal);
    }
  }

  /** While what others do comes by itself, there is nothing to do before the lease runs out. */
  #pauseMs(): number {
    const untilFreeMs = this.#freeAtMs() - this.#options.clock.monotonicMs();
    const retryMs = jitteredRetryMs(this.#options);
    if (untilFreeMs <= 0) return retryMs;
    // Timers can come a little early.
    return Math.max(1, this.#view.live ? untilFreeMs : Math.min(untilFreeMs, retryMs));
  }

  #freeAtMs(): number {
    return this.#view.freeAtMs((holder) => holder === this.#holder || this.#former.has(holder));
  }

  /** The lease, when it is free and could be taken. */
  async #tryOnce(): Promise<HeldLease | undefined> {
    const { clock, logger } = this.#options;
    try {
      if (!this.#view.live) await this.#read();
      if (clock.monotonicMs() < this.#freeAtMs()) return undefined;
      const began = momentOf(clock);
      const taken = await this.#take();
      if (taken === undefined) return undefined;
      this.#former.clear();
      return new HeldLease(taken, began, this.#state, this.#options, () => this.#former.add(this.#holder));
    } catch (error) {
      logger.warn({ err: errorOf(error), lease: this.#pointer.id }, 'a lease could not be taken, will try again');
      return undefined;
    }
  }

  /** The lease as taken; undefined when another one was faster. */
  async #take(): Promise<TypedResource<LeaseSpec> | undefined> {
    const stored = this.#view.seen?.resource;
    const { leaseMs: durationMs } = this.#options;
    const spec = { holder: this.#holder, durationMs, transitions: this.#view.transitions + 1 };
    try {
      return await this.#call((signal) =>
        stored === undefined
          ? createLease(this.#state, this.#pointer, spec, signal)
          : updateLease(this.#state, stored, spec, signal),
      );
    } catch (error) {
      if (!isAlreadyExists(error) && !isVersionConflict(error) && !isNotFound(error)) throw error;
    }
    await this.#read();
    return undefined;
  }

  async #read(): Promise<void> {
    try {
      this.#view.note(await this.#call((signal) => this.#state.get(this.#pointer, { signal })));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#view.note(undefined);
    }
  }

  /** Not ended by the campaign's signal: who stops is to know what it has, and to give it up. */
  #call<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return timedCall(this.#options.clock, this.#options.callTimeoutMs, new AbortController().signal, call);
  }
}
