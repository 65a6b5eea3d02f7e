import { createWatch, type Event, VirtualClock, type Watch } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { EventReader } from './event-reader.js';
import { Items } from './items.js';

const deadline = { clock: new VirtualClock(), waitMs: 100 };

const created = (id: string): Event => {
  const item = Items.new(id, { value: 1 });
  return { type: 'created', resource: item.withMetadata(item.metadata.with({ version: 1n })) };
};

/** A watch of these items, which then waits until it is closed. */
function watchOf<T>(items: readonly T[], options: { readonly ends?: boolean } = {}): Watch<T> & { pulls: number } {
  let end: () => void = () => undefined;
  const ended = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  const left = [...items];
  const watch = createWatch<T>({
    pull() {
      counted.pulls++;
      return left.shift() ?? (options.ends === true ? undefined : ended);
    },
    close: () => end(),
  });
  const counted = Object.assign(watch, { pulls: 0 });
  return counted;
}

describe('a reader of events', () => {
  it('compares events with texts', async () => {
    const reader = new EventReader(watchOf([created('a'), created('b')]), deadline);
    await reader.expect('created a@1', 'created b@1');
    const other = new EventReader(watchOf([created('a'), created('b')]), deadline);
    await expect(other.expect('created a@1', 'created c@1')).rejects.toThrow(
      'the events of the watch\n  expected: ["created a@1","created c@1"]\n  found:    ["created a@1","created b@1"]',
    );
  });

  it('reads arrays of events one by one, or as they came', async () => {
    const arrays = () => watchOf([[created('a'), created('b')], [created('c')]]);
    await new EventReader(arrays(), deadline).expect('created a@1', 'created b@1', 'created c@1');
    const reader = new EventReader(arrays(), deadline);
    expect((await reader.nextBatch()).length).toBe(2);
    expect((await reader.nextBatch()).length).toBe(1);
    const partly = new EventReader(arrays(), deadline);
    await partly.next();
    await expect(partly.nextBatch()).rejects.toThrow('part of an array is unread');
    await expect(partly.ended()).rejects.toThrow('the watch should have ended, it gave ["created b@1"]');
  });

  it('reads ahead, unless it is lazy', async () => {
    const [eager, lazy] = [watchOf([created('a'), created('b')]), watchOf([created('a'), created('b')])];
    const readers = [new EventReader(eager, deadline), new EventReader(lazy, deadline, { lazy: true })];
    await deadline.clock.advance(1);
    expect([eager.pulls, lazy.pulls]).toEqual([3, 0]);
    await readers[1]?.next();
    expect(lazy.pulls).toBe(1);
  });

  it('tells an end from an error', async () => {
    const ended = new EventReader(watchOf<Event>([], { ends: true }), deadline);
    await ended.ended();
    await ended.ended();
    await expect(ended.next('created a@1')).rejects.toThrow('waiting for created a@1, the watch ended');
    const failing = createWatch<Event>({
      pull: () => Promise.reject(new Error('no')),
      close: () => undefined,
    });
    await expect(new EventReader(failing, deadline).ended()).rejects.toThrow('next() rejected: "Error: no"');
  });

  it('says at the deadline what it has seen', async () => {
    const reader = new EventReader(watchOf([created('a')]), deadline);
    const failed = expect(reader.expect('created a@1', 'created b@1')).rejects.toThrow(
      'waited 100 ms in vain for created b@1 after created a@1',
    );
    await deadline.clock.advance(100);
    await failed;
  });
});
