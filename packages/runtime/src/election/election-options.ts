import { type Clock, checkDelay, type Random } from '@cosi-ts/state';
import type { Logger } from '../logger.js';
import { resolveRuntimeOptions } from '../runtime-options.js';

export interface StateElectionOptions {
  /** Where the leases are. Default: `runtime`. */
  readonly namespace?: string | undefined;
  /** Who this is, for people: the name of a host for instance. Default: `runtime`. Random characters are added to it. */
  readonly identity?: string | undefined;
  /** How long others wait, from when they saw it, for the next renewal of a lease before they take it. Default: 15 000. */
  readonly leaseMs?: number | undefined;
  /**
   * How long after it began its last renewal that succeeded a holder regards its lease as held. What is between it and
   * `leaseMs` is the time in which writes that are on their way may still arrive. Default: 10 000.
   */
  readonly renewDeadlineMs?: number | undefined;
  /** How long after one try to renew or to take a lease the next one comes, ± 20 %. Default: 2000. */
  readonly retryMs?: number | undefined;
  /** Default: warnings and errors go to the console. */
  readonly logger?: Logger | undefined;
  /** Default: the host's. */
  readonly clock?: Clock | undefined;
  /** Default: the host's. */
  readonly random?: Random | undefined;
}

export interface ResolvedStateElectionOptions {
  readonly namespace: string;
  readonly identity: string;
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
  /** How long one call of the state may take before it is tried again. */
  readonly callTimeoutMs: number;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

export const defaultStateElectionOptions = Object.freeze({
  namespace: 'runtime',
  identity: 'runtime',
  leaseMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2000,
});

/** A pause is so much longer or shorter. */
const retryJitter = 0.2;

/** Throws a `RangeError` for times that leave a holder no chance, or others no certainty. */
export function resolveStateElectionOptions(options: StateElectionOptions = {}): ResolvedStateElectionOptions {
  const defaults = defaultStateElectionOptions;
  const { logger, clock, random } = resolveRuntimeOptions(options);
  const leaseMs = checkDelay(options.leaseMs ?? defaults.leaseMs);
  const renewDeadlineMs = checkDelay(options.renewDeadlineMs ?? defaults.renewDeadlineMs);
  const retryMs = checkDelay(options.retryMs ?? defaults.retryMs);
  if (renewDeadlineMs >= leaseMs) {
    throw new RangeError(`renewDeadlineMs (${renewDeadlineMs}) must be less than leaseMs (${leaseMs})`);
  }
  if (retryMs === 0 || retryMs * (1 + retryJitter) >= renewDeadlineMs) {
    throw new RangeError(
      `retryMs (${retryMs}) must be more than 0 and well below renewDeadlineMs (${renewDeadlineMs})`,
    );
  }
  return Object.freeze({
    namespace: options.namespace ?? defaults.namespace,
    identity: options.identity ?? defaults.identity,
    leaseMs,
    renewDeadlineMs,
    retryMs,
    callTimeoutMs: renewDeadlineMs / 2,
    logger,
    clock,
    random,
  });
}

export function jitteredRetryMs({ retryMs, random }: ResolvedStateElectionOptions): number {
  return retryMs * (1 + retryJitter * (2 * random.float() - 1));
}
