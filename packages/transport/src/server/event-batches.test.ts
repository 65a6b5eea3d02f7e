import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineResource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { describe, expect, it, vi } from 'vitest';
import { batchBytes } from '../limits.js';
import { itemOf } from '../testdata/placed-items.js';
import { EventBatches } from './event-batches.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });

function eventsOf(count: number, bookmark = true): readonly Event[] {
  const marked = bookmark && { bookmark: new Uint8Array(16) };
  const event = (i: number) => ({ type: 'created', resource: Disk.new(`disk-${i}`, { size: i }), ...marked }) as const;
  return Object.freeze(Array.from({ length: count }, (_, i) => event(i)));
}

function batching(bytesOfEach: number) {
  const encode = vi.fn((_event: Event) => itemOf(new Uint8Array(bytesOfEach)));
  return { encode, batches: new EventBatches(encode) };
}

describe('batches of events', () => {
  it('N6: watches that are as far are sent the same bytes, encoded once', () => {
    const { encode, batches } = batching(Math.floor(batchBytes / 3.5));
    const events = eventsOf(7);
    const all = () => {
      const found: Uint8Array[] = [];
      for (let at = 0; at < events.length; ) {
        const batch = batches.next(events, at, batchBytes, 'together');
        found.push(batch.bytes);
        at = batch.to;
      }
      return found;
    };
    const first = all();
    expect(first).toHaveLength(3);
    const calls = encode.mock.calls.length;
    for (const [i, bytes] of all().entries()) expect(bytes).toBe(first[i]);
    expect(encode).toHaveBeenCalledTimes(calls);
  });

  it('N6: watches that want them one by one are sent other bytes', () => {
    const { batches } = batching(10);
    const events = eventsOf(3);
    expect(batches.next(events, 0, batchBytes, 'together').count).toBe(1);
    expect(batches.next(events, 0, batchBytes, 'apart').count).toBe(3);
    expect(batches.next(events, 0, batchBytes, 'together').count).toBe(1);
  });

  it('N6: where messages are to be small, what was kept and is larger is not sent', () => {
    const { batches } = batching(100);
    const events = eventsOf(10);
    expect(batches.next(events, 0, batchBytes, 'together').to).toBe(10);
    expect(batches.next(events, 0, 250, 'together').to).toBe(2);
    expect(batches.next(events, 0, 10, 'together').to).toBe(1);
  });

  it('N6: what is kept is bounded: newer events take the place of older ones', () => {
    const { encode, batches } = batching(1024 * 1024);
    const arrays = Array.from({ length: 17 }, () => eventsOf(1));
    const sendAll = () => arrays.forEach((events) => void batches.next(events, 0, batchBytes, 'apart'));
    sendAll();
    expect(encode).toHaveBeenCalledTimes(17);
    batches.next(arrays[16] as readonly Event[], 0, batchBytes, 'apart');
    expect(encode).toHaveBeenCalledTimes(17);
    batches.next(arrays[0] as readonly Event[], 0, batchBytes, 'apart');
    expect(encode).toHaveBeenCalledTimes(18);
  });

  it('N6: what is kept is bounded also when each event is small', () => {
    const { encode, batches } = batching(10);
    const first = eventsOf(1);
    batches.next(first, 0, batchBytes, 'apart');
    const [later] = eventsOf(1);
    for (let i = 0; i < 20_000; i++) batches.next(Object.freeze([later as Event]), 0, batchBytes, 'apart');
    const calls = encode.mock.calls.length;
    batches.next(first, 0, batchBytes, 'apart');
    expect(encode).toHaveBeenCalledTimes(calls + 1);
  });

  it('N6: what is kept of an array does not keep the array, which may hold far more', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { batches } = batching(100);
    const sent = (() => {
      const events = eventsOf(10);
      batches.next(events, 0, 250, 'together');
      return new WeakRef(events);
    })();
    await turn();
    collect();
    expect(sent.deref()).toBeUndefined();
  });

  it('N6: a bootstrap, which no two watches share, is not kept', () => {
    const { encode, batches } = batching(10);
    const events = eventsOf(2, false);
    batches.next(events, 0, batchBytes, 'together');
    batches.next(events, 0, batchBytes, 'together');
    expect(encode).toHaveBeenCalledTimes(4);
  });
});
