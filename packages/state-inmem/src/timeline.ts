import { InvalidBookmarkError, type Kind } from '@cosi-ts/resource';
import type { Bookmark } from '@cosi-ts/state';
import { decodeBookmark, encodeBookmark } from './bookmark.js';

/**
 * Which positions there are, and the bookmarks that stand for them. A position counts the events of the whole state,
 * of all kinds; position `n` stands for "the first n events have happened".
 */
export interface Timeline {
  /** The newest position. */
  readonly position: number;
  /**
   * The position of an event that happens now.
   *
   * @param given what the store says that it is, where the store counts
   */
  advance(given: number | undefined): number;
  bookmark(position: number): Bookmark;
  /** The position that a bookmark stands for. Throws `invalid-bookmark` when it is not one of this timeline. */
  positionOf(bookmark: unknown, kind: Kind): number;
}

/** The timeline of a state that counts its events by itself, from 0. It ends with the process. */
export class OwnTimeline implements Timeline {
  readonly #epoch: Uint8Array;
  #position = 0;

  /** @param epoch 8 random bytes, by which the state knows its bookmarks */
  constructor(epoch: Uint8Array) {
    this.#epoch = epoch;
  }

  get position(): number {
    return this.#position;
  }

  advance(): number {
    return ++this.#position;
  }

  bookmark(position: number): Bookmark {
    return encodeBookmark(this.#epoch, position);
  }

  positionOf(bookmark: unknown, kind: Kind): number {
    const { epoch, position } = bookmarkParts(bookmark, kind);
    if (!sameEpoch(epoch, this.#epoch)) {
      throw new InvalidBookmarkError('it was issued by another state, or before a restart', { subject: kind });
    }
    if (position > this.#position) throw future(kind);
    return position;
  }
}

export function bookmarkParts(bookmark: unknown, kind: Kind) {
  const parts = decodeBookmark(bookmark);
  if (parts === undefined) throw new InvalidBookmarkError('it is malformed', { subject: kind });
  return parts;
}

export function sameEpoch(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export function future(kind: Kind): InvalidBookmarkError {
  return new InvalidBookmarkError('it lies in the future', { subject: kind });
}
