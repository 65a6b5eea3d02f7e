import type { Bookmark } from '@cosi-ts/state';

/** Where a stream of a watch begins. What the watch is of, and its queries, are the same for all its streams. */
export interface Start {
  readonly bookmark: Bookmark | undefined;
  readonly bootstrap: boolean;
  /** Whether a noop with the present bookmark is asked for. */
  readonly noop: boolean;
  readonly tailEvents: number;
}
