import type { Event } from '@cosi-ts/state';

/** Makes the items of a watch of a kind from its events. */
export interface Shape<T> {
  /** The items that are complete now. */
  add(events: readonly Event[]): readonly T[];
  /** The bootstrap, which did not come to its end, begins again. */
  restart(): void;
}

/** Every event is an item. For watches without a bootstrap. */
export const singly: Shape<Event> = Object.freeze({
  add: (events: readonly Event[]) => events,
  restart() {},
});
