import type { Resource } from '@cosi-ts/resource';
import type { Bookmark, Event } from '@cosi-ts/state';

type Marked = Extract<Event, { readonly resource: Resource }> & { readonly bookmark: Bookmark };

/**
 * An event that several watches are given. Snapshots can be shared; a bookmark is bytes, which anybody could change, so
 * each read of it makes new ones. It is a property of the event itself, so that copies of the event have it too.
 */
class SharedEvent {
  static readonly #descriptor: PropertyDescriptor & ThisType<SharedEvent> = {
    enumerable: true,
    get() {
      return new Uint8Array(this.#bookmark);
    },
  };

  readonly #bookmark: Bookmark;
  readonly type: Marked['type'];
  readonly resource: Resource;
  declare readonly old?: Resource;
  declare readonly bookmark: Bookmark;

  constructor(event: Marked) {
    this.#bookmark = event.bookmark;
    this.type = event.type;
    this.resource = event.resource;
    if (event.type === 'updated' && event.old !== undefined) (this as { old?: Resource }).old = event.old;
    Object.defineProperty(this, 'bookmark', SharedEvent.#descriptor);
    Object.freeze(this);
  }
}

/** The same event for everybody. Nobody else may have it. */
export function sharedEvent(event: Event): Event {
  return 'bookmark' in event ? (new SharedEvent(event as Marked) as Event) : Object.freeze(event);
}
