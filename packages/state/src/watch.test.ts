import { describe, expect, it, vi } from 'vitest';
import { createWatch, mapWatch, singleEvents } from './watch.js';

/** A watch that gives what is pushed, and counts how often it was closed. */
function pushed<T>(signal?: AbortSignal) {
  const items: T[] = [];
  let wake: (item: T | undefined) => void = () => {};
  const closed = vi.fn(() => wake(undefined));
  const source = {
    pull: () => items.shift() ?? new Promise<T | undefined>((resolve) => (wake = resolve)),
    close: closed,
  };
  return { watch: createWatch<T>(source, signal), push: (item: T) => wake(item), items, closed };
}

describe('watches', () => {
  it('W2: leaving the loop closes the source', async () => {
    const { watch, items, closed } = pushed<number>();
    items.push(1, 2, 3);
    for await (const item of watch) if (item === 2) break;
    expect(closed).toHaveBeenCalledOnce();
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect(items).toEqual([3]);
  });

  it('W2: disposing closes the source once, however often', async () => {
    const { watch, closed } = pushed<number>();
    {
      await using _same = watch;
      await watch.close();
    }
    expect(closed).toHaveBeenCalledOnce();
  });

  it('W2: aborting ends a pending next and takes the listener away', async () => {
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const { watch, closed } = pushed<number>(controller.signal);
    const next = watch.next();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(closed).toHaveBeenCalledOnce();
    expect(removed).toHaveBeenCalled();
  });

  it('W2: a watch of an aborted signal has ended', async () => {
    const { watch, closed } = pushed<number>(AbortSignal.abort());
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect(closed).toHaveBeenCalledOnce();
  });

  it('W2: an item that comes in while the watch is closed is dropped', async () => {
    const { watch, push } = pushed<number>();
    const next = watch.next();
    push(1);
    await watch.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('refuses a second next while one is pending, and stays usable', async () => {
    const { watch, push } = pushed<number>();
    const first = watch.next();
    await expect(watch.next()).rejects.toThrow(TypeError);
    push(1);
    expect(await first).toEqual({ done: false, value: 1 });
  });

  it('closes the source when a pull throws', async () => {
    const closed = vi.fn();
    const watch = createWatch({ pull: () => Promise.reject(new Error('broken')), close: closed });
    await expect(watch.next()).rejects.toThrow('broken');
    expect(closed).toHaveBeenCalledOnce();
  });

  it('maps items, and closes through', async () => {
    const { watch, items, closed } = pushed<number>();
    items.push(1, 2);
    const doubled = mapWatch(watch, (item) => item * 2);
    expect(await doubled.next()).toEqual({ done: false, value: 2 });
    await doubled.close();
    expect(closed).toHaveBeenCalledOnce();
  });

  it('W6: takes arrays apart in order', async () => {
    const { watch, items, closed } = pushed<readonly number[]>();
    items.push([1, 2], [], [3]);
    const seen: number[] = [];
    for await (const item of singleEvents(watch)) {
      seen.push(item);
      if (item === 3) break;
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(closed).toHaveBeenCalledOnce();
  });
});
