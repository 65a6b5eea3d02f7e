import type { Kind, Pointer, Resource, Timestamp } from '@cosi-ts/resource';

/**
 * Keeps the resources of a state beyond the process. The state holds everything in memory and reads from there; the
 * store is read once, when the state is first used, and written before a change becomes visible to anyone.
 *
 * A store serves one state at a time. The state does not close it: whoever opened it does, after closing the state.
 * One database can hold many namespaces, and give each state a store of its own
 * (`new InMemoryState(ns, { store: database.namespace(ns) })`).
 */
export interface BackingStore {
  /**
   * Gives every stored resource, in any order, in arrays of any size or in pages. Called when the state is first used, and again by
   * the next use when it failed; never while it is running or after it ended well.
   *
   * A record that cannot be read makes it throw, with an error that names the resource and the cause.
   */
  load(): AsyncIterable<readonly Resource[] | StoredPage>;

  /**
   * Makes one change durable. The state has checked it: the resource is to be stored as it is.
   *
   * Writes to different resources are in progress at the same time, so that a store can make many durable in one go.
   * Writes to one resource are not: each begins after the one before has settled.
   *
   * As soon as the change is durable the store calls `commit`, once and before the promise resolves. That makes the
   * change visible: readers and watchers see changes in the order of these calls. With an event log that is the order of
   * positions, over all namespaces of the database.
   *
   * When the promise rejects, `commit` must not have been called and the change must not come back, not even after
   * reopening: the state stays as it was, and the caller gets the error as it is.
   */
  write(change: StoreChange, commit: Commit): Promise<void>;

  /**
   * The events of the past, for a store that keeps them: then bookmarks outlive the process, and watchers can be further
   * behind than memory holds. Absent: the state counts its events by itself, and an overrun comes when they have left
   * memory. It is read after {@link load} has ended.
   */
  readonly log?: EventLog | undefined;
}

/**
 * Stored resources of one kind that are known to be readable, and are not read before someone asks for them: most of what
 * it takes to load a resource is to make it.
 */
export interface StoredPage extends Iterable<Resource> {
  readonly kind: Kind;
  /** In the byte order of UTF-8, and each once. */
  readonly ids: readonly string[];
  /** The newest time in any of them. */
  readonly newest: Timestamp;
  /** Reads the resource of the id with that number. Once: who asks for it keeps it, and the page need not. */
  take(number: number): Resource;
}

/** A change to be stored. */
export type StoreChange =
  | { readonly type: 'created'; readonly resource: Resource }
  /** `old` is what is replaced. */
  | { readonly type: 'updated'; readonly resource: Resource; readonly old: Resource }
  /** `resource` is what is removed. */
  | { readonly type: 'destroyed'; readonly resource: Resource };

/** Tells the state that a change is durable. It makes it visible before it returns. */
export type Commit = (receipt?: CommitReceipt) => void;

export interface CommitReceipt {
  /** The position of the event in the store's log: larger than any before. Needed from stores with a log, and only there. */
  readonly position?: number;
  /** How many bytes the record of the resource has, for the bounds of the history. Absent: the state estimates. */
  readonly encodedBytes?: number;
}

/**
 * A durable log of events. Positions count the events of the whole database, through all its namespaces and openings,
 * from 1 and without gaps; they stay below 2^53. What is asked of a log concerns the namespace of its store.
 */
export interface EventLog {
  /**
   * The newest position of the database, in whatever namespace: that of the change whose `commit` was called last, or is
   * being called; 0 before the first event.
   */
  readonly position: number;

  /** The events after this position are kept. It grows as the log is compacted. */
  readonly floor: number;

  /**
   * Every opening of the database, from the oldest whose positions are kept to the present one. A bookmark names its
   * epoch, and one whose position lies outside that epoch's range belongs to another copy of the database.
   */
  readonly epochs: readonly Epoch[];

  /**
   * Some of the events of a kind, or of one resource, after one position and up to another, oldest first. Bounded work:
   * an answer need not reach the end of the range, nor hold any event, but must get further than `after`. Undefined when
   * the events after `after` are not all kept any more.
   */
  read(subject: Kind | Pointer, after: number, upTo: number): Promise<LogPage | undefined>;

  /**
   * The last events of a kind, or of one resource, up to a position: as many as asked for, or as are kept, oldest first.
   */
  last(subject: Kind | Pointer, count: number, upTo: number): Promise<readonly LoggedEvent[]>;
}

/** One opening of a database. */
export interface Epoch {
  /** 8 random bytes. */
  readonly id: Uint8Array;
  /** The newest position when the epoch began. It ends where the next one begins. */
  readonly start: number;
}

export interface LogPage {
  readonly events: readonly LoggedEvent[];
  /** All events of the range up to this position are among those of this page and the pages before. */
  readonly through: number;
}

/** An event as it is kept in a log. */
export type LoggedEvent = StoreChange & { readonly position: number };
