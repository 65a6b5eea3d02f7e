import { InvalidArgumentError, type Kind } from '@cosi-ts/resource';
import type { Bookmark, WatchKindOptions, WatchOptions } from '@cosi-ts/state';

/** Where a watch begins: with the present, with the last events, or after a position. */
export type WatchStart =
  | { readonly from: 'present' }
  | { readonly from: 'contents' }
  | { readonly from: 'tail'; readonly count: number }
  | { readonly from: 'bookmark'; readonly bookmark: Bookmark };

/** Throws `invalid-argument` for options that exclude each other. */
export function resolveWatchStart(
  options: WatchOptions & Pick<WatchKindOptions, 'bootstrapContents'>,
  kind: Kind,
): WatchStart {
  const { tailEvents = 0, startFromBookmark: bookmark, bootstrapContents = false } = options;
  const refuse = (message: string) => new InvalidArgumentError(message, { subject: kind });
  if (!Number.isInteger(tailEvents)) throw refuse(`tailEvents must be an integer, not ${tailEvents}`);
  const tail = tailEvents > 0;
  if (tail && bookmark !== undefined) throw refuse('tail events and a start bookmark exclude each other');
  if (bootstrapContents && tail) throw refuse('bootstrap contents and tail events exclude each other');
  if (bootstrapContents && bookmark !== undefined) {
    throw refuse('bootstrap contents and a start bookmark exclude each other');
  }
  if (bookmark !== undefined) return { from: 'bookmark', bookmark };
  if (tail) return { from: 'tail', count: tailEvents };
  return { from: bootstrapContents ? 'contents' : 'present' };
}
