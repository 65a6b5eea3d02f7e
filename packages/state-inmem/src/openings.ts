import { type Kind, type Pointer, type Resource, type Timestamp, tombstone } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import type { Change } from './history-entry.js';
import type { Timeline } from './timeline.js';
import { bootstrapEvent, positionEvent, presentEvent, visible } from './watch-events.js';

/** Makes an array of events that come before the live ones. It may be empty. */
export type Opening = () => readonly Event[];

/** The present of one resource, or a tombstone when it is absent. */
export function presentOpening(
  pointer: Pointer,
  resource: Resource | undefined,
  now: Timestamp,
  timeline: Timeline,
): Opening {
  const { position } = timeline;
  const { namespace, type, id } = pointer;
  return () => [
    resource === undefined
      ? presentEvent('destroyed', tombstone({ namespace, type, id }, now), timeline, position)
      : presentEvent('created', resource, timeline, position),
  ];
}

/** All resources of a kind, and the end of them, in one array. */
export function contentsOpening(
  kind: Kind,
  resources: readonly Resource[],
  now: Timestamp,
  timeline: Timeline,
): Opening {
  const { position } = timeline;
  return () => {
    const events: Event[] = resources.map(bootstrapEvent);
    events.push(positionEvent('bootstrapped', kind, now, timeline, position));
    return Object.freeze(events);
  };
}

/** A bookmark, in an array of its own. */
export function bookmarkOpening(kind: Kind, now: Timestamp, timeline: Timeline, position: number): Opening {
  return () => Object.freeze([positionEvent('noop', kind, now, timeline, position)]);
}

/** Changes of the past, as a watch sees them. */
export function pastOpening(changes: readonly Change[], see: (change: Change) => Event | undefined): Opening {
  return () => visible(changes, see);
}
