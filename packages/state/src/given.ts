import { type Kind, labelQueries, type Pointer } from '@cosi-ts/resource';
import type { CallOptions, WatchKindOptions } from './core-state.js';

// A call means what it was given when it was made. Whoever reads its arguments after having waited reads these copies:
// meanwhile the caller may have put the objects to another use, and getters need not say the same twice.

export function givenPointer({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}

export function givenKind({ namespace, type }: Kind): Kind {
  return { namespace, type };
}

/** The options with the queries and the bookmark in them. Throws for queries that are none. */
export function givenOptions<O extends CallOptions>(options: O): O {
  const given: O & { -readonly [name in 'labels' | 'startFromBookmark']?: WatchKindOptions[name] } = { ...options };
  const { labels, startFromBookmark } = given;
  if (labels !== undefined) given.labels = labelQueries(labels);
  if (startFromBookmark instanceof Uint8Array) given.startFromBookmark = new Uint8Array(startFromBookmark);
  return given;
}
