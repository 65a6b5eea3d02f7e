import type { Resource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';

/** Something that happened to a resource. */
export interface Change {
  readonly type: 'created' | 'updated' | 'destroyed';
  readonly resource: Resource;
  /** What an update replaced. */
  readonly old?: Resource | undefined;
  /** Counts the events of the whole state. */
  readonly position: number;
}

/** A change that a history keeps. */
export class HistoryEntry implements Change {
  readonly type: Change['type'];
  readonly resource: Resource;
  readonly old: Resource | undefined;
  readonly position: number;
  /** The number of the event before about the same resource, or −1. That one may have been trimmed already. */
  readonly previous: number;
  /** About how much memory the resource takes. */
  readonly resourceBytes: number;
  /** How much of the history's memory this entry is charged for. A snapshot that two entries share is charged once. */
  chargedBytes = 0;
  /** The number of the next event about the same resource, if it shares the snapshot, or −1. */
  next = -1;
  /** What watchers without a filter are given: one object for all of them, made when the first one asks. */
  event: Event | undefined;

  constructor(
    type: Change['type'],
    resource: Resource,
    old: Resource | undefined,
    position: number,
    previous: number,
    resourceBytes: number,
  ) {
    this.type = type;
    this.resource = resource;
    this.old = old;
    this.position = position;
    this.previous = previous;
    this.resourceBytes = resourceBytes;
    this.event = undefined;
  }
}
