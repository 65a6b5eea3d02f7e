import { sameJson } from '@cosi-ts/resource';
import { type ResolvedRuntimeOptions, type RuntimeOptions, resolveRuntimeOptions } from '../runtime-options.js';

export interface TaskRunnerOptions<S> extends Pick<RuntimeOptions, 'logger' | 'clock' | 'random' | 'backoff'> {
  /** Whether a task can go on when its spec was the first and is to be the second. Default: deep equality of JSON-like data. */
  readonly equal?: ((a: S, b: S) => boolean) | undefined;
  /** How long a task that was told to end is waited for. Default: 10 000. */
  readonly stopGraceMs?: number | undefined;
}

export interface ResolvedTaskRunnerOptions<S> {
  readonly equal: (a: S, b: S) => boolean;
  readonly stopGraceMs: number;
  readonly runtime: ResolvedRuntimeOptions;
}

/** Throws a `RangeError` for a number that cannot be. */
export function resolveTaskRunnerOptions<S>(options: TaskRunnerOptions<S> = {}): ResolvedTaskRunnerOptions<S> {
  const { equal = sameJson, stopGraceMs, ...rest } = options;
  const runtime = resolveRuntimeOptions({ ...rest, shutdownGraceMs: stopGraceMs });
  return Object.freeze({ equal, stopGraceMs: runtime.shutdownGraceMs, runtime });
}
