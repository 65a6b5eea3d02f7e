import { type Kind, kindTombstone, type Resource, type Timestamp } from '@cosi-ts/resource';
import type { Bookmark, BootstrappedEvent, CreatedEvent, ErroredEvent, Event, NoopEvent } from '@cosi-ts/state';
import { type Change, HistoryEntry } from './history-entry.js';
import type { Timeline } from './timeline.js';

/**
 * An event with a bookmark, which all watchers share. Bytes cannot be frozen, so each read of `bookmark` makes new ones:
 * nobody can alter another's. It is a property of the event itself, so that copies of the event have it too.
 */
class MarkedEvent {
  static readonly #descriptor: PropertyDescriptor & ThisType<MarkedEvent> = {
    enumerable: true,
    get() {
      return this.#timeline.bookmark(this.#position);
    },
  };

  readonly #timeline: Timeline;
  readonly #position: number;
  readonly type: Event['type'];
  readonly resource: Resource;
  declare readonly old?: Resource;
  declare readonly bookmark: Bookmark;

  constructor(
    type: Event['type'],
    resource: Resource,
    old: Resource | undefined,
    timeline: Timeline,
    position: number,
  ) {
    this.#timeline = timeline;
    this.#position = position;
    this.type = type;
    this.resource = resource;
    if (old !== undefined) (this as { old?: Resource }).old = old;
    Object.defineProperty(this, 'bookmark', MarkedEvent.#descriptor);
    Object.freeze(this);
  }
}

/** A change as an event, for watchers that see all of the kind. */
export function changeEvent(change: Change, timeline: Timeline): Event {
  if (!(change instanceof HistoryEntry)) return seenAs(change.type, change, timeline);
  change.event ??= seenAs(change.type, change, timeline);
  return change.event;
}

/** A change as an event of that type. Only updates carry what was before. */
export function seenAs(type: Change['type'], change: Change, timeline: Timeline): Event {
  const old = type === 'updated' ? change.old : undefined;
  return new MarkedEvent(type, change.resource, old, timeline, change.position) as Event;
}

/** A resource that was there when the watch began. Without a bookmark: whoever resumed from it would miss the rest. */
export function bootstrapEvent(resource: Resource): CreatedEvent {
  return Object.freeze({ type: 'created', resource });
}

/** What there is of a resource when a watch of it begins. */
export function presentEvent(
  type: 'created' | 'destroyed',
  resource: Resource,
  timeline: Timeline,
  position: number,
): Event {
  return new MarkedEvent(type, resource, undefined, timeline, position) as Event;
}

/** The end of a bootstrap, or a bookmark for whoever asked for one. */
export function positionEvent(
  type: 'bootstrapped' | 'noop',
  kind: Kind,
  now: Timestamp,
  timeline: Timeline,
  position: number,
): BootstrappedEvent | NoopEvent {
  return new MarkedEvent(type, kindTombstone(kind, now), undefined, timeline, position) as
    | BootstrappedEvent
    | NoopEvent;
}

export function erroredEvent(error: Error): ErroredEvent {
  return Object.freeze({ type: 'errored', error });
}

/** The events of changes, without those that a watch does not see. */
export function visible<C extends Change>(
  changes: Iterable<C>,
  see: (change: C) => Event | undefined,
): readonly Event[] {
  const events: Event[] = [];
  for (const change of changes) {
    const event = see(change);
    if (event !== undefined) events.push(event);
  }
  return Object.freeze(events);
}
