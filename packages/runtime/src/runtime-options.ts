import type { Kind } from '@cosi-ts/resource';
import {
  type BackoffOptions,
  type Clock,
  checkDelay,
  defaultBackoff,
  type Random,
  resolveBackoff,
  systemClock,
  systemRandom,
} from '@cosi-ts/state';
import type { Meter, Tracer } from '@opentelemetry/api';
import type { LeaderElection } from './election/leader-election.js';
import { consoleLogger, guardedLogger, type Logger } from './logger.js';
import { type ResolvedWriteLimit, resolveWriteLimit, type WriteLimitOptions } from './write-limit.js';

export interface RuntimeOptions {
  /** Default: warnings and errors go to the console. */
  readonly logger?: Logger | undefined;
  /** Default: the host's. */
  readonly clock?: Clock | undefined;
  /** Default: the host's. */
  readonly random?: Random | undefined;
  /** Of items that failed, and of controllers and hooks that threw. Default: 0.5 s doubling to 60 s, ± 20 %. */
  readonly backoff?: BackoffOptions | undefined;
  /** Of watches that broke. Default: 0.5 s doubling to 30 s, ± 20 %. */
  readonly watchBackoff?: BackoffOptions | undefined;
  /** How long one call of `reconcile` or of a mapper may take. Default: 600 000. */
  readonly reconcileDeadlineMs?: number | undefined;
  /** How fast each controller may write that does not say so itself. Default: as fast as it can. */
  readonly writeLimit?: WriteLimitOptions | undefined;
  /** Decides which of the runtimes that share a state runs the controllers that need to lead. Default: this one does. */
  readonly leaderElection?: LeaderElection | undefined;
  /** Where what is measured goes. Default: that of OpenTelemetry's provider when the runtime begins to run. */
  readonly meter?: Meter | undefined;
  /** Where spans go. Default: that of OpenTelemetry's provider. */
  readonly tracer?: Tracer | undefined;
  /** How long the end waits for work that ignores its signal. Default: 10 000. */
  readonly shutdownGraceMs?: number | undefined;
  /** Kinds whose gets and lists by controllers are answered from memory. Default: none. */
  readonly cached?: readonly Kind[] | undefined;
}

export interface ResolvedRuntimeOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff: Required<BackoffOptions>;
  readonly watchBackoff: Required<BackoffOptions>;
  readonly reconcileDeadlineMs: number;
  readonly writeLimit: ResolvedWriteLimit | undefined;
  readonly leaderElection: LeaderElection | undefined;
  readonly meter: Meter | undefined;
  readonly tracer: Tracer | undefined;
  readonly shutdownGraceMs: number;
  readonly cached: readonly Kind[];
}

export const defaultRuntimeOptions = Object.freeze({
  clock: systemClock,
  random: systemRandom,
  backoff: defaultBackoff,
  watchBackoff: Object.freeze({ ...defaultBackoff, maxMs: 30_000 }),
  reconcileDeadlineMs: 600_000,
  shutdownGraceMs: 10_000,
});

/** Throws a `RangeError` for a number that cannot be. */
export function resolveRuntimeOptions(options: RuntimeOptions = {}): ResolvedRuntimeOptions {
  const defaults = defaultRuntimeOptions;
  return Object.freeze({
    logger: guardedLogger(options.logger ?? consoleLogger('warn')),
    clock: options.clock ?? defaults.clock,
    random: options.random ?? defaults.random,
    backoff: resolveBackoff({ ...defaults.backoff, ...options.backoff }),
    watchBackoff: resolveBackoff({ ...defaults.watchBackoff, ...options.watchBackoff }),
    reconcileDeadlineMs: checkDeadline(options.reconcileDeadlineMs ?? defaults.reconcileDeadlineMs),
    writeLimit: options.writeLimit === undefined ? undefined : resolveWriteLimit(options.writeLimit),
    leaderElection: options.leaderElection,
    meter: options.meter,
    tracer: options.tracer,
    shutdownGraceMs: checkDelay(options.shutdownGraceMs ?? defaults.shutdownGraceMs),
    cached: Object.freeze([...(options.cached ?? [])]),
  });
}

export function checkDeadline(deadlineMs: number): number {
  if (checkDelay(deadlineMs) === 0) throw new RangeError(`a deadline of ${deadlineMs} ms leaves no time`);
  return deadlineMs;
}
