import { Backoff, sleep } from '@cosi-ts/state';
import { comesOfAbort } from './aborted.js';
import type { ControllerLog } from './controller-log.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';

const healthyMs = 60_000;

/** What is done when the function fails, apart from running it again. */
interface Failure {
  readonly message: string;
  readonly onFailure?: () => void;
}

/** Runs a function that is to run as long as its controller does, again after a backoff whenever it throws. */
export class RunLoop {
  readonly #options: ResolvedRuntimeOptions;
  readonly #log: ControllerLog;
  readonly #backoff: Backoff;
  readonly #failure: Failure;
  #restarts = 0;
  #isPausing = false;

  constructor(options: ResolvedRuntimeOptions, log: ControllerLog, failure: Failure) {
    this.#options = options;
    this.#log = log;
    this.#failure = failure;
    this.#backoff = new Backoff(options.random, options.backoff);
  }

  /** How often it was started again. */
  get restarts(): number {
    return this.#restarts;
  }

  /** True while it waits to run again after a failure. */
  get isPausing(): boolean {
    return this.#isPausing;
  }

  /** 1, and one more for each failure in a row. */
  get attempt(): number {
    return this.#backoff.attempts + 1;
  }

  /** The next failure is followed by the shortest delay again. */
  resetBackoff(): void {
    this.#backoff.reset();
  }

  /** Resolves when the function has returned, or when the signal has aborted and the function has ended. */
  async run(call: () => Promise<void> | void, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const beganMs = clock.monotonicMs();
      try {
        await call();
        return;
      } catch (error) {
        if (comesOfAbort(error, signal)) return;
        if (clock.monotonicMs() - beganMs >= healthyMs) this.#backoff.reset();
        const retryInMs = this.#backoff.nextMs();
        this.#failure.onFailure?.();
        this.#log.failure(error, this.#failure.message, { retryInMs, restarts: this.#restarts });
        await this.#pause(retryInMs, signal);
      }
      if (!signal.aborted) this.#restarts++;
    }
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    this.#isPausing = true;
    try {
      await sleep(this.#options.clock, delayMs, signal);
    } catch (reason) {
      if (!signal.aborted) throw reason;
    } finally {
      this.#isPausing = false;
    }
  }
}
