import { InvalidBookmarkError, type Kind } from '@cosi-ts/resource';
import type { Bookmark } from '@cosi-ts/state';
import type { Epoch, EventLog } from './backing-store.js';
import { encodeBookmark } from './bookmark.js';
import { bookmarkParts, future, sameEpoch, type Timeline } from './timeline.js';

/**
 * The timeline of a store with a log: it goes on where the last process ended. A bookmark names the opening of the
 * database in which it was issued, and so is refused by a copy of the database that went another way since.
 */
export class LogTimeline implements Timeline {
  readonly #log: EventLog;
  #published: number;

  constructor(log: EventLog) {
    this.#log = log;
    this.#published = log.position;
  }

  get position(): number {
    return this.#log.position;
  }

  advance(given: number | undefined): number {
    if (given === undefined) throw new TypeError('a store with a log must commit writes with their positions');
    if (given <= this.#published || given > this.#log.position) {
      throw new RangeError(
        `the store committed position ${given} after ${this.#published}, its log being at ${this.#log.position}`,
      );
    }
    this.#published = given;
    return given;
  }

  /** It names the epoch in which the position was reached, so that an event has one bookmark for ever. */
  bookmark(position: number): Bookmark {
    const epoch = this.#log.epochs.findLast((each) => each.start < position) ?? this.#log.epochs[0];
    if (epoch === undefined) throw new RangeError('the log has no epoch');
    return encodeBookmark(epoch.id, position);
  }

  positionOf(bookmark: unknown, kind: Kind): number {
    const { epoch, position } = bookmarkParts(bookmark, kind);
    const { epochs } = this.#log;
    const index = epochs.findIndex((each) => sameEpoch(each.id, epoch));
    const found = epochs[index];
    if (found === undefined) {
      throw new InvalidBookmarkError('it was issued by another store, or too long ago', { subject: kind });
    }
    if (position > this.#log.position) throw future(kind);
    if (position < found.start || position > end(epochs[index + 1], this.#log)) {
      throw new InvalidBookmarkError('it was issued by another copy of this store', { subject: kind });
    }
    return position;
  }
}

function end(next: Epoch | undefined, log: EventLog): number {
  return next === undefined ? log.position : next.start;
}
