import { defineResource, isOverrun, type TypedKind } from '@cosi-ts/resource';
import { type State, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeFeed, type FeedItem } from './change-feed.js';
import { HandOver } from './hand-over.js';
import { decodePosition, encodePosition } from './position.js';

const A = defineResource<{ n: number }>({ type: 'As.test.cosi.dev', namespace: 'ns' });
const B = defineResource<{ n: number }>({ type: 'Bs.test.cosi.dev', namespace: 'ns' });
const kinds = [A.kind, B.kind] as unknown as readonly TypedKind<unknown>[];

function open(state: State, position?: string) {
  const stop = new AbortController();
  const feed = changeFeed(state, kinds, { signal: stop.signal, position });
  const next = async (): Promise<FeedItem> => {
    const { value, done } = await feed.next();
    if (done === true) throw new Error('the feed ended');
    return value;
  };
  return { stop, feed, next };
}

const text = (item: FeedItem) => {
  if (item.type === 'snapshot') return `snapshot ${item.resources.map(({ metadata }) => metadata.id).join()}`;
  return 'resource' in item ? `${item.type} ${item.resource.metadata.id}` : item.type;
};

describe('change feed', () => {
  it('begins with all there is, and can be left and taken up anywhere', async () => {
    const state = wrapState(new InMemoryState());
    for (const id of ['a1', 'a2']) await state.create(A.new(id, { n: 0 }));
    const first = open(state);
    expect([text(await first.next()), text(await first.next()), (await first.next()).type]).toEqual([
      'reset',
      'snapshot a1,a2',
      'ready',
    ]);
    await state.create(B.new('b1', { n: 0 }));
    const created = await first.next();
    expect(text(created)).toBe('created b1');
    await state.create(A.new('a3', { n: 0 }));
    await state.destroy(B.at('b1'));
    await first.feed.return();

    const second = open(state, (created as { position: string }).position);
    expect((await second.next()).type).toBe('ready');
    expect([text(await second.next()), text(await second.next())].sort()).toEqual(['created a3', 'destroyed b1']);
    await second.feed.return();
    await state.close();
  });

  it('cuts a large beginning into pieces', async () => {
    const state = wrapState(new InMemoryState());
    for (let i = 0; i < 1100; i++) await state.create(A.new(`a${i}`, { n: 0 }));
    const { feed, next } = open(state);
    const items = [await next(), await next(), await next(), await next(), await next()];
    expect(items.map((item) => (item.type === 'snapshot' ? item.resources.length : item.type))).toEqual([
      'reset',
      500,
      500,
      100,
      'ready',
    ]);
    await feed.return();
  });

  it('begins anew when it falls behind by more than is kept', async () => {
    const state = wrapState(new InMemoryState({ history: { maxEvents: 10 } }));
    const { feed, next } = open(state);
    expect([(await next()).type, (await next()).type]).toEqual(['reset', 'ready']);
    for (let i = 0; i < 50; i++) await state.create(A.new(`a${i}`, { n: 0 }));
    const items: FeedItem[] = [];
    for (;;) {
      const item = await next();
      items.push(item);
      if (item.type === 'ready') break;
    }
    const reset = items.find(({ type }) => type === 'reset');
    expect(reset).toMatchObject({ reason: expect.stringContaining('buffer overrun') });
    const snapshot = items.flatMap((item) => (item.type === 'snapshot' ? item.resources : []));
    expect(snapshot).toHaveLength(50);
    expect(isOverrun(reset)).toBe(false);
    await feed.return();
  });

  it('ends with the reason of its signal', async () => {
    const state = wrapState(new InMemoryState());
    const { stop, next } = open(state);
    await next();
    await next();
    const pending = next();
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });

  it('ends when the state is closed', async () => {
    const state = wrapState(new InMemoryState());
    const { next } = open(state);
    await next();
    await next();
    const rest = (async () => {
      for (;;) await next();
    })();
    await state.close();
    await expect(rest).rejects.toThrow('closed');
  });
});

describe('position', () => {
  it('reads back what it wrote, and nothing else', () => {
    const bookmark = fc.uint8Array({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(bookmark, { minLength: 1, maxLength: 6 }), (bookmarks) => {
        const position = encodePosition(bookmarks);
        expect(decodePosition(position, bookmarks.length)).toEqual(bookmarks);
        expect(decodePosition(position, bookmarks.length + 1)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.string(), (any) => {
        const bookmarks = decodePosition(any, 5);
        expect(bookmarks === undefined || bookmarks.length === 5).toBe(true);
      }),
    );
  });
});

describe('hand-over', () => {
  it('keeps the order, and lets producers wait while too much is underway', async () => {
    const over = new HandOver<number>(3);
    const { signal } = new AbortController();
    let put = 0;
    const producer = (async () => {
      for (let i = 0; i < 10; i++) {
        await over.put(i);
        put++;
      }
    })();
    await Promise.resolve();
    const taken: number[] = [];
    while (taken.length < 10) {
      taken.push(...(await over.take(signal)));
      expect(put).toBeLessThanOrEqual(taken.length + 3);
    }
    await producer;
    expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
