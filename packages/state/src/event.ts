import type { Resource } from '@cosi-ts/resource';

/**
 * A position in the stream of changes, opaque to everyone but the state that issued it. A watch that starts from one
 * delivers exactly the events after it.
 */
export type Bookmark = Uint8Array;

/** A resource that came to be, or that began to match the watch's queries, or that was there when the watch began. */
export interface CreatedEvent<R extends Resource = Resource> {
  readonly type: 'created';
  readonly resource: R;
  /** Absent on the resources of a bootstrap: whoever resumed from one would miss the rest. */
  readonly bookmark?: Bookmark;
}

export interface UpdatedEvent<R extends Resource = Resource> {
  readonly type: 'updated';
  readonly resource: R;
  /** The resource before. Absent only over the wire, when the message would grow too large with it. */
  readonly old?: R;
  readonly bookmark?: Bookmark;
}

/** A resource that was destroyed, with its last state, or that stopped matching the watch's queries, with its new one. */
export interface DestroyedEvent<R extends Resource = Resource> {
  readonly type: 'destroyed';
  readonly resource: R;
  readonly bookmark?: Bookmark;
}

/** All resources that were there when the watch began have been given. */
export interface BootstrappedEvent {
  readonly type: 'bootstrapped';
  /** A tombstone of the kind, with an empty id. */
  readonly resource: Resource;
  readonly bookmark?: Bookmark;
}

/** Nothing happened: brings a bookmark to whoever asked for one. */
export interface NoopEvent {
  readonly type: 'noop';
  /** A tombstone of the kind, with an empty id. */
  readonly resource: Resource;
  readonly bookmark?: Bookmark;
}

/** The watch failed. It is the last event. */
export interface ErroredEvent {
  readonly type: 'errored';
  readonly error: Error;
}

/** One step of a watch. */
export type Event<R extends Resource = Resource> =
  | CreatedEvent<R>
  | UpdatedEvent<R>
  | DestroyedEvent<R>
  | BootstrappedEvent
  | NoopEvent
  | ErroredEvent;

export type EventType = Event['type'];
