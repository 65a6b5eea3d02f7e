import { checkDelay } from '@cosi-ts/state';
import { type ResolvedRuntimeOptions, type RuntimeOptions, resolveRuntimeOptions } from '../runtime-options.js';

export interface BridgeOptions
  extends Pick<RuntimeOptions, 'logger' | 'clock' | 'random' | 'backoff' | 'shutdownGraceMs'> {
  /**
   * What comes within so many milliseconds of the first event is given on together. Default: 0, for queues make one of
   * what they hold already anyway.
   */
  readonly coalesceMs?: number | undefined;
}

export interface ResolvedBridgeOptions {
  readonly coalesceMs: number;
  readonly runtime: ResolvedRuntimeOptions;
}

/** Throws a `RangeError` for a number that cannot be. */
export function resolveBridgeOptions(options: BridgeOptions = {}): ResolvedBridgeOptions {
  const { coalesceMs = 0, ...rest } = options;
  return Object.freeze({ coalesceMs: checkDelay(coalesceMs), runtime: resolveRuntimeOptions(rest) });
}
