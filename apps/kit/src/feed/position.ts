import type { Bookmark } from '@cosi-ts/state';

/**
 * Where a follower of several kinds is: one bookmark for each of them, in a fixed order, as text. Bookmarks of different
 * kinds cannot be compared, so it takes all of them to go on without a gap.
 */
export function encodePosition(bookmarks: readonly Bookmark[]): string {
  const parts = bookmarks.map((bookmark) => Buffer.concat([Buffer.from([bookmark.length]), bookmark]));
  return Buffer.concat(parts).toString('base64url');
}

/** Undefined: it is no position in so many kinds. */
export function decodePosition(text: string, kinds: number): readonly Bookmark[] | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const bookmarks: Bookmark[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = bytes[at] as number;
    if (at + 1 + length > bytes.length) return undefined;
    bookmarks.push(new Uint8Array(bytes.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return bookmarks.length === kinds ? bookmarks : undefined;
}
