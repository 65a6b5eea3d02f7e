import type { Bookmark } from '@cosi-ts/state';
import { rejectsWith } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';
import { bookmarkOf } from './bookmarks.js';

/** The three ways to use a bookmark. */
const uses: readonly [name: string, use: (t: StateTest, bookmark: Bookmark) => Promise<unknown>][] = [
  ['watch', (t, startFromBookmark) => t.watch(t.at('a'), { startFromBookmark })],
  ['watchKind', (t, startFromBookmark) => t.watchKind({ startFromBookmark })],
  ['watchKindAggregated', (t, startFromBookmark) => t.watchKindAggregated({ startFromBookmark })],
];

export function refusedBookmarkTests({ it, features }: StateSuite): void {
  if (!features.bookmarks) return;
  const good = async (t: StateTest) => {
    const reader = await t.watchKind();
    await t.create('a');
    const [event] = await reader.expect('created a@1');
    return bookmarkOf(event);
  };

  const malformed: readonly [what: string, make: (good: Bookmark) => Bookmark][] = [
    ['empty', () => new Uint8Array(0)],
    ['one byte', () => new Uint8Array(1)],
    ['too short', (bookmark) => bookmark.slice(0, -1)],
    ['too long', (bookmark) => Uint8Array.of(...bookmark, 0)],
    ['of other bytes', (bookmark) => bookmark.map((byte) => byte ^ 0xff)],
    ['text', () => new TextEncoder().encode('created a@1 in the year 2026, by someone')],
  ];
  for (const [name, use] of uses) {
    for (const [what, make] of malformed) {
      it(`W9, W1: ${name} refuses a bookmark that is ${what}`, async (t) => {
        const bookmark = make(await good(t));
        await rejectsWith(use(t, bookmark), 'invalid-bookmark', `${name} with a bookmark that is ${what}`);
      });
    }

    it(`W9, W1: ${name} refuses what is no bookmark at all`, async (t) => {
      for (const bookmark of ['text', 7, [1, 2, 3], {}]) {
        const refused = use(t, bookmark as unknown as Bookmark);
        await rejectsWith(refused, 'invalid-bookmark', `${name} with ${JSON.stringify(bookmark)} for a bookmark`);
      }
    });

    it(`W9, W1: ${name} refuses a bookmark that lies in the future`, async (t) => {
      const future = (await good(t)).slice();
      // Whatever the format, positions end in their lowest byte.
      future[future.length - 2] = (future[future.length - 2] ?? 0) + 100;
      await rejectsWith(use(t, future), 'invalid-bookmark', `${name} with a bookmark of the future`);
    });

    it(`W9, W1: ${name} refuses the bookmark of another state`, async (t) => {
      const stranger = await t.stranger();
      const reader = t.reader(await stranger.watchKind(t.kind));
      await stranger.create(t.item('a'));
      const [event] = await reader.expect('created a@1');
      await t.create('a');
      await rejectsWith(use(t, bookmarkOf(event)), 'invalid-bookmark', `${name} with another state's bookmark`);
    });

    const { overrunEvents } = features;
    if (overrunEvents !== undefined) {
      it(`W9, W12: ${name} refuses a bookmark that has fallen out of the history`, async (t) => {
        const bookmark = await good(t);
        let stored = await t.core.get(t.at('a'));
        for (let i = 0; i <= overrunEvents; i++) stored = await t.setValue(stored, i);
        await rejectsWith(use(t, bookmark), 'invalid-bookmark', `${name} with a bookmark that is no longer kept`);
      });

      it(`W9, W12: ${name} accepts a bookmark as long as all that follows it is kept`, async (t) => {
        const bookmark = await good(t);
        let stored = await t.core.get(t.at('a'));
        for (let i = 0; i < features.historyEvents; i++) stored = await t.setValue(stored, i);
        await use(t, bookmark);
      });
    }
  }

  it('W9: a refused bookmark leaves the state as it was', async (t) => {
    await rejectsWith(t.watchKind({ startFromBookmark: new Uint8Array(3) }), 'invalid-bookmark', 'watchKind');
    const reader = await t.watchKind();
    await t.quiet(reader);
  });
}
