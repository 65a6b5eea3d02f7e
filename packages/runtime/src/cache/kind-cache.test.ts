import type { Resource } from '@cosi-ts/resource';
import { VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { resolveRuntimeOptions } from '../runtime-options.js';
import { eventually } from '../testdata/harness.js';
import { Numbers } from '../testdata/kinds.js';
import { KindCache } from './kind-cache.js';

/** A cache that has been listed, and the lives of a resource, to be told in any order. */
async function setup(found?: () => Promise<Resource | undefined>) {
  const state = wrapState(new InMemoryState());
  const first = await state.create(Numbers.new('a', { value: 1 }));
  await state.addFinalizer(Numbers.at('a'), 'f');
  await state.removeFinalizer(Numbers.at('a'), 'f');
  const third = await state.get(Numbers.at('a'));
  await state.destroy(Numbers.at('a'));
  const again = await state.create(Numbers.new('a', { value: 1 }));
  const read = found ?? (() => Promise.reject(new Error('the state is not asked')));
  const cache = new KindCache(Numbers.kind, read, resolveRuntimeOptions({ clock: new VirtualClock() }));
  cache.beginList();
  cache.endList();
  return { cache, first, third, again };
}

describe('the cache of a kind', () => {
  it('C16: an answer that comes after the events of its write, and of the end of the resource, brings nothing back', async () => {
    const { cache, first, third } = await setup();
    const write = cache.beginWrite('a');
    cache.changed(first, false);
    cache.changed(third, false);
    cache.changed(third, true);
    cache.endWrite(write, first);
    expect(await cache.get('a')).toBeUndefined();
    expect(cache.unconfirmed).toBe(0);
  });

  it('C16: news older than a write are dropped until the one of the write, of a destruction too', async () => {
    const { cache, first, third, again } = await setup();
    cache.endWrite(cache.beginWrite('a'), third);
    cache.changed(first, false);
    expect(await cache.get('a')).toBe(third);
    cache.endDestroy(cache.beginWrite('a'));
    cache.changed(third, false);
    expect(await cache.get('a')).toBeUndefined();
    cache.changed(third, true);
    cache.changed(again, false);
    expect(await cache.get('a')).toBe(again);
    expect(cache.unconfirmed).toBe(0);
  });

  it('C16: whether a list was made before a write or after its end is asked of the state', async () => {
    const { cache, first } = await setup(async () => undefined);
    cache.beginList();
    cache.endWrite(cache.beginWrite('a'), first);
    cache.endList();
    expect(cache.unconfirmed).toBe(1);
    await eventually(async () => expect(await cache.get('a')).toBeUndefined());
    expect(cache.unconfirmed).toBe(0);
    await cache.close();
  });
});
