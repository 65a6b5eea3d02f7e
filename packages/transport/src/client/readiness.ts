import { type Clock, type Random, sleep } from '@cosi-ts/resource';
import { Backoff, type BackoffOptions, resolveBackoff } from '@cosi-ts/state';

/** A server that comes back is not kept waiting for longer: attempts at one time share one connection. */
const maxDelayMs = 2000;

export interface ReadinessOptions {
  /** How long after its beginning a call is still made again. 0: never. */
  readonly waitForReadyMs: number;
  readonly resumeBackoff: Required<BackoffOptions>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Makes calls again while the server cannot be reached. */
export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #backoff: Required<BackoffOptions>;

  constructor(options: ReadinessOptions) {
    this.#options = options;
    const { initialMs, maxMs, ...others } = options.resumeBackoff;
    const [initial, max] = [Math.min(initialMs, maxDelayMs), Math.min(maxMs, maxDelayMs)];
    this.#backoff = resolveBackoff({ ...others, initialMs: initial, maxMs: max });
  }

  /** Whether anything is to be made again. */
  get waits(): boolean {
    return this.#options.waitForReadyMs > 0;
  }

  /**
   * The outcome of the last attempt: one that succeeds, that fails otherwise than `isAbsence` says, or that ends when the
   * time is up, when the last one is made. Rejects with the signal's reason when that aborts in between.
   */
  async reach<T>(attempt: () => Promise<T>, isAbsence: (failure: unknown) => boolean, signal: AbortSignal): Promise<T> {
    const { waitForReadyMs, clock, random } = this.#options;
    const untilMs = clock.monotonicMs() + waitForReadyMs;
    const backoff = new Backoff(random, this.#backoff);
    for (;;) {
      try {
        return await attempt();
      } catch (failure) {
        const leftMs = untilMs - clock.monotonicMs();
        if (leftMs <= 0 || signal.aborted || !isAbsence(failure)) throw failure;
        await sleep(clock, Math.min(backoff.nextMs(), leftMs), signal);
      }
    }
  }
}
