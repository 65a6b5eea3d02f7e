import { isNotFound, isVersionConflict, type TypedResource } from '@cosi-ts/resource';
import { type State, sleep, type Timer } from '@cosi-ts/state';
import { errorOf } from '../thrown.js';
import { jitteredRetryMs, type ResolvedStateElectionOptions } from './election-options.js';
import type { Lease } from './leader-election.js';
import { LeaseLostError } from './lease-lost.js';
import { type LeaseSpec, LeaseType, readLease, updateLease } from './lease-resource.js';
import { timedCall } from './timed-call.js';
import { elapsedMs, type Moment, momentOf } from './validity.js';

/** A time of less than this is the clocks' rounding, in milliseconds. */
const rounding = 0.001;
/** So often a change of the lease is tried again at once when another one of this holder came in between. */
const maxConflicts = 3;

/**
 * A lease that was taken. It regards itself as held until the renewal deadline after the *beginning* of the last write
 * that succeeded, while others wait for the longer lease time from when they saw that write, which was later.
 */
export class HeldLease implements Lease {
  readonly name: string;
  readonly holder: string;
  readonly fencingToken: number;
  readonly #state: State;
  readonly #options: ResolvedStateElectionOptions;
  readonly #onReleased: () => void;
  readonly #over = new AbortController();
  readonly #renewing: Promise<void>;
  #stored: TypedResource<LeaseSpec>;
  #renewed: Moment;
  #timer: Timer | undefined;
  #released: Promise<void> | undefined;

  /**
   * @param stored as the state has it
   * @param taken when the write that took it was begun
   * @param onReleased called when it is released: nothing is done in its name any more
   */
  constructor(
    stored: TypedResource<LeaseSpec>,
    taken: Moment,
    state: State,
    options: ResolvedStateElectionOptions,
    onReleased: () => void,
  ) {
    this.name = stored.metadata.id;
    this.holder = stored.spec.holder;
    this.fencingToken = stored.spec.transitions;
    this.#stored = stored;
    this.#renewed = taken;
    this.#state = state;
    this.#options = options;
    this.#onReleased = onReleased;
    this.#arm();
    this.#renewing = this.#keepUp();
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Looks at the clock, as {@link check} does. */
  get held(): boolean {
    return !this.#expire();
  }

  check(): void {
    this.#expire();
    this.signal.throwIfAborted();
  }

  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  lapse(): void {
    if (!this.signal.aborted) this.#end(new LeaseLostError(this.name, 'it is not kept up any more'));
  }

  get #leftMs(): number {
    const { clock, renewDeadlineMs } = this.#options;
    return renewDeadlineMs - elapsedMs(clock, this.#renewed);
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.schedule(this.#leftMs, () => {
      if (!this.#expire()) this.#arm();
    });
  }

  /** True when the lease is over. */
  #expire(): boolean {
    if (this.signal.aborted) return true;
    if (this.#leftMs > rounding) return false;
    this.#lose(`it could not be renewed for ${this.#options.renewDeadlineMs} ms`);
    return true;
  }

  #lose(why: string): void {
    if (this.signal.aborted) return;
    const error = new LeaseLostError(this.name, why);
    this.#options.logger.error({ err: error, lease: this.name, holder: this.holder }, 'a lease was lost');
    this.#end(error);
  }

  #end(reason: LeaseLostError): void {
    this.#timer?.cancel();
    this.#over.abort(reason);
  }

  async #keepUp(): Promise<void> {
    const { clock } = this.#options;
    while (!this.signal.aborted) {
      try {
        await sleep(clock, jitteredRetryMs(this.#options), this.signal);
      } catch (reason) {
        if (!this.signal.aborted) throw reason;
        return;
      }
      await this.#renew();
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.#write({}, this.signal, (began) => {
        if (this.#expire()) return;
        this.#renewed = began;
        this.#arm();
      });
    } catch (error) {
      if (this.signal.aborted) return;
      if (isNotFound(error)) this.#lose('its resource was destroyed');
      else if (error instanceof LeaseLostError) this.#lose('another one has taken it');
      else {
        const facts = { err: errorOf(error), lease: this.name, leftMs: this.#leftMs };
        this.#options.logger.warn(facts, 'a lease could not be renewed, will try again');
      }
    }
  }

  async #release(): Promise<void> {
    if (!this.signal.aborted) this.#end(new LeaseLostError(this.name, 'it was released'));
    this.#onReleased();
    await this.#renewing;
    try {
      await this.#write({ holder: '' }, new AbortController().signal);
    } catch (error) {
      // It is another one's, or gone.
      if (isNotFound(error) || error instanceof LeaseLostError) return;
      const facts = { err: errorOf(error), lease: this.name };
      this.#options.logger.warn(facts, 'a lease could not be given up: it will run out');
    }
  }

  /**
   * Writes the lease, which must be this holder's. An earlier write whose answer never came may have taken effect: then
   * the resource is read anew.
   */
  async #write(
    change: Partial<LeaseSpec>,
    signal: AbortSignal,
    onWritten: (began: Moment) => void = () => undefined,
  ): Promise<void> {
    const { clock, callTimeoutMs, leaseMs } = this.#options;
    for (let conflicts = 0; ; conflicts++) {
      const spec = { ...readLease(this.#stored, leaseMs), ...change };
      const began = momentOf(clock);
      try {
        this.#stored = await timedCall(clock, callTimeoutMs, signal, (own) =>
          updateLease(this.#state, this.#stored, spec, own),
        );
        onWritten(began);
        return;
      } catch (error) {
        if (!isVersionConflict(error) || conflicts === maxConflicts) throw error;
      }
      const pointer = LeaseType.at(this.name, this.#options.namespace);
      const stored = await timedCall(clock, callTimeoutMs, signal, (own) => this.#state.get(pointer, { signal: own }));
      if (readLease(stored, leaseMs).holder !== this.holder) throw new LeaseLostError(this.name, 'another one has it');
      this.#stored = stored;
    }
  }
}
