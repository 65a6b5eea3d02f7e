import type { BackoffOptions, Clock, Random } from '@cosi-ts/state';
import type { Logger } from './logger.js';

export interface RuntimeOptions {
  /** Default: warnings and errors go to the console. */
  readonly logger?: Logger | undefined;
  /** Default: the host's. */
  readonly clock?: Clock | undefined;
  /** Default: the host's. */
  readonly random?: Random | undefined;
  /** Of items that failed and of hooks that threw. Default: 0.5 s doubling to 60 s, ± 20 %. */
  readonly backoff?: BackoffOptions | undefined;
  /** Of watches that broke. Default: 0.5 s doubling to 30 s, ± 20 %. */
  readonly watchBackoff?: BackoffOptions | undefined;
  /** How long one call of `reconcile` may take. Default: 600 000. */
  readonly reconcileDeadlineMs?: number | undefined;
  /** How long the end waits for work that ignores its signal. Default: 10 000. */
  readonly shutdownGraceMs?: number | undefined;
}
