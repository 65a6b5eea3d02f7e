import type { Kind, LabelQuery, Phase, Pointer, Resource } from '@cosi-ts/resource';
import type { Bookmark, Event } from './event.js';
import type { Watch } from './watch.js';

/** Who calls. Filled in by servers, read by access rules. */
export interface CallContext {
  /** Who the caller was authenticated as. */
  readonly identity?: string;
  /** The network address of the caller. */
  readonly peer?: string;
}

/** What every operation takes. */
export interface CallOptions {
  /** An aborted call rejects with the signal's reason, and has had its full effect or none. */
  readonly signal?: AbortSignal | undefined;
  readonly context?: CallContext | undefined;
}

export type GetOptions = CallOptions;

/** Narrows a list or a watch of a kind. A resource must match one of the label queries and the id query. */
export interface QueryOptions {
  /** A query is a list of terms that must all match; of several queries one must. Default: all resources. */
  readonly labels?: LabelQuery | readonly LabelQuery[] | undefined;
  /** A regular expression in RE2 syntax, found anywhere in the id unless anchored. Default: all ids. */
  readonly id?: string | undefined;
}

export interface ListOptions extends CallOptions, QueryOptions {}

export interface CreateOptions extends CallOptions {
  /** Who owns the resource from now on. Default: nobody. Another owner in its metadata is an error. */
  readonly owner?: string | undefined;
}

export interface UpdateOptions extends CallOptions {
  /** On whose behalf: must equal the stored owner. Default: nobody. */
  readonly owner?: string | undefined;
  /** The phase that the stored resource must be in. Default: running. */
  readonly expectedPhase?: Phase | 'any' | undefined;
}

export interface DestroyOptions extends CallOptions {
  /** On whose behalf: must equal the stored owner. Default: nobody. */
  readonly owner?: string | undefined;
}

export interface WatchOptions extends CallOptions {
  /** Begin with so many of the last events about the resource, or as many as are kept. Default: 0. Not with a bookmark. */
  readonly tailEvents?: number | undefined;
  /** Deliver exactly the events after this position. */
  readonly startFromBookmark?: Bookmark | undefined;
}

export interface WatchKindOptions extends CallOptions, QueryOptions {
  /**
   * Begin with a created event for each matching resource, in the order of ids, then one of type bootstrapped.
   * Default: false. Not together with tail events or a start bookmark.
   */
  readonly bootstrapContents?: boolean | undefined;
  /** Bring a noop event with the present bookmark before the live events. Default: false. */
  readonly bootstrapBookmark?: boolean | undefined;
  /** Begin with so many of the last events of the kind, or as many as are kept, then filtered. Default: 0. Not with a bookmark. */
  readonly tailEvents?: number | undefined;
  /** Deliver exactly the events after this position. */
  readonly startFromBookmark?: Bookmark | undefined;
}

/**
 * What a backend implements: a store of resources with a stream of their changes. Everything else is built on it by
 * {@link wrapState}. The rules are in `docs/semantics.md`; the package `@cosi-ts/conformance` checks them.
 *
 * Operations on one resource are linearisable, and its events come in the order of its versions. Resources that are
 * given and taken are immutable and may be shared.
 */
export interface CoreState {
  /** Rejects with `not-found`. */
  get(pointer: Pointer, options?: GetOptions): Promise<Resource>;
  /** In the byte order of UTF-8 ids. An empty kind gives an empty list. */
  list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]>;
  /**
   * Stores a new resource as version 1 and gives it back as stored. Rejects with `already-exists`; with
   * `invalid-argument` when the metadata names another owner than the options, or when the pointer is not acceptable.
   */
  create(resource: Resource, options?: CreateOptions): Promise<Resource>;
  /**
   * Stores the resource with its version plus 1 and gives it back as stored. Checked in this order: `not-found`,
   * `owner-conflict`, `version-conflict`, `phase-conflict`. `created` stays as it was.
   */
  update(resource: Resource, options?: UpdateOptions): Promise<Resource>;
  /** Removes the resource, in whatever phase. Checked in this order: `not-found`, `owner-conflict`, `pending-finalizers`. */
  destroy(pointer: Pointer, options?: DestroyOptions): Promise<void>;
  /**
   * Watches one resource. Unless tail events or a bookmark are given, the first event tells the present: created with
   * the resource, or destroyed with a tombstone. Once the call has resolved, no later change is missed.
   */
  watch(pointer: Pointer, options?: WatchOptions): Promise<Watch<Event>>;
  /** Watches a kind. Once the call has resolved, no later change is missed. */
  watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch<Event>>;
  /** The same stream in arrays, never empty: all that is ready at a time, and the whole bootstrap, comes in one. */
  watchKindAggregated(kind: Kind, options?: WatchKindOptions): Promise<Watch<readonly Event[]>>;
}
