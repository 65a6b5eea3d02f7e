import type { Clock } from '@cosi-ts/state';

const firstMs = 1000;
const longestMs = 60_000;

/** How long to wait after so many failed attempts to boot: 1 s, doubling to 60 s. */
export function bootRetryDelayMs(failedBoots: number): number {
  return Math.min(longestMs, firstMs * 2 ** (Math.max(1, failedBoots) - 1));
}

interface Retry {
  readonly failedBoots: number;
  readonly wanted: string;
  readonly dueMs: number;
}

/**
 * When machines that did not boot are to be tried again. A failure that is seen for the first time starts a delay; what
 * is changed about the machine in the meantime has it tried at once.
 */
export class BootRetries {
  readonly #clock: Clock;
  readonly #retries = new Map<string, Retry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * How long to wait still; 0: try now.
   *
   * @param wanted says what the machine is to be: another text is a change
   */
  waitMs(id: string, failedBoots: number, wanted: string): number {
    const now = this.#clock.monotonicMs();
    const known = this.#retries.get(id);
    if (known === undefined || known.failedBoots !== failedBoots) {
      const delayMs = bootRetryDelayMs(failedBoots);
      this.#retries.set(id, { failedBoots, wanted, dueMs: now + delayMs });
      return delayMs;
    }
    return known.wanted === wanted ? Math.max(0, known.dueMs - now) : 0;
  }

  /** It runs, or is gone. */
  forget(id: string): void {
    this.#retries.delete(id);
  }
}
