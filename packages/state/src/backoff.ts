import type { Random } from '@cosi-ts/resource';

export interface BackoffOptions {
  /** The first delay. Default: 500. */
  readonly initialMs?: number;
  /** No delay is longer, jitter apart. Default: 60 000. */
  readonly maxMs?: number;
  /** Each delay is so many times the one before. Default: 2. */
  readonly factor?: number;
  /** Each delay is lengthened or shortened by up to this part of it, so that many do not come back at once. Default: 0.2. */
  readonly jitter?: number;
}

export const defaultBackoff: Required<BackoffOptions> = Object.freeze({
  initialMs: 500,
  maxMs: 60_000,
  factor: 2,
  jitter: 0.2,
});

/** Throws a `RangeError` that names the field. */
export function resolveBackoff(options: BackoffOptions = {}): Required<BackoffOptions> {
  const resolved = { ...defaultBackoff, ...options };
  const check = (field: keyof BackoffOptions, good: boolean) => {
    if (!good || !Number.isFinite(resolved[field]))
      throw new RangeError(`backoff.${field} cannot be ${resolved[field]}`);
  };
  check('initialMs', resolved.initialMs > 0);
  check('maxMs', resolved.maxMs >= resolved.initialMs);
  check('factor', resolved.factor >= 1);
  check('jitter', resolved.jitter >= 0 && resolved.jitter < 1);
  return Object.freeze(resolved);
}

/**
 * The delay after so many attempts before: initial × factor^attempts, bounded, then jittered. For whoever counts the
 * attempts of many things; {@link Backoff} counts those of one.
 */
export function backoffDelayMs(options: Required<BackoffOptions>, attempts: number, random: Random): number {
  const { initialMs, maxMs, factor, jitter } = options;
  // The power grows past every number after a thousand attempts: the bound is then what counts.
  const plainMs = Math.min(initialMs * factor ** attempts, maxMs);
  return plainMs * (1 + jitter * (2 * random.float() - 1));
}

/** Exponential delays with jitter, without a limit on their number. */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  readonly #random: Random;
  #attempts = 0;

  constructor(random: Random, options: BackoffOptions = {}) {
    this.#options = resolveBackoff(options);
    this.#random = random;
  }

  /** How many delays were given since the last reset. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The delay before the next attempt, in milliseconds. */
  nextMs(): number {
    return backoffDelayMs(this.#options, this.#attempts++, this.#random);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
