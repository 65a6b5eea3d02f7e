import type { GetOptions, ListOptions } from '@cosi-ts/state';

/** How fresh a read of a cached kind has to be. */
export interface Freshness {
  /** Ask the state also where the kind is cached: for decisions that cannot be taken back. Default: false. */
  readonly uncached?: boolean | undefined;
}

export interface CachedGetOptions extends GetOptions, Freshness {}

export interface CachedListOptions extends ListOptions, Freshness {}
