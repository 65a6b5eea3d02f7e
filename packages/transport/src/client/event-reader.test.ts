import { bytesOf, EventItem, encodeResource, wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { describe, expect, it, vi } from 'vitest';
import { EventReader } from './event-reader.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });
const same = vi.fn((a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0);

function message(bookmark: number | undefined): Uint8Array {
  const metadata = Disk.new('x', { size: 1 }).metadata.with({ version: 1n });
  const resource = encodeResource(Disk.new('x', { size: 1 }).withMetadata(metadata));
  const mark = bookmark === undefined ? undefined : Uint8Array.of(bookmark);
  return bytesOf(new EventItem({ eventType: wire.EventType.CREATED, resource, bookmark: mark }));
}

const only = (events: readonly Event[]) => events[0] as Extract<Event, { type: 'created' }>;

describe('the events of several watches', () => {
  it('N6: a message that two watches of a kind get is decoded once, and each has bookmarks of its own', () => {
    const reader = new EventReader(same);
    const [first, second] = [reader.watch(Disk.kind), reader.watch(Disk.kind)];
    const a = only(first.read(message(1)));
    const b = only(second.read(message(1)));
    expect(b.resource).toBe(a.resource);
    expect([a.bookmark, b.bookmark]).toEqual([Uint8Array.of(1), Uint8Array.of(1)]);
    (a.bookmark as Uint8Array)[0] = 9;
    expect(only(first.read(message(1))).bookmark).toEqual(Uint8Array.of(1));
    expect(only(second.read(message(2))).bookmark).toEqual(Uint8Array.of(2));
    expect({ ...b }).toEqual({ type: 'created', resource: a.resource, bookmark: Uint8Array.of(1) });
    const shared = second.read(message(2));
    expect([Object.isFrozen(shared), Object.isFrozen(shared[0])]).toEqual([true, true]);
  });

  it('nothing is remembered for one watch, for watches of other kinds, after the end of others, and of a bootstrap', () => {
    const reader = new EventReader(same);
    const one = reader.watch(Disk.kind);
    const other = reader.watch({ ...Disk.kind, namespace: 'b' });
    const read = () => only(one.read(message(1))).resource;
    other.read(message(1));
    expect(read()).not.toBe(read());
    const second = reader.watch(Disk.kind);
    expect(read()).toBe(read());
    expect(only(one.read(message(undefined))).resource).not.toBe(only(second.read(message(undefined))).resource);
    second.end();
    second.end();
    expect(read()).not.toBe(read());
  });

  it('where bytes cannot be compared fast, each message is decoded for itself', () => {
    const reader = new EventReader(undefined);
    const [first, second] = [reader.watch(Disk.kind), reader.watch(Disk.kind)];
    expect(only(first.read(message(1))).resource).not.toBe(only(second.read(message(1))).resource);
    first.end();
    second.end();
  });

  it('N7: what cannot be read is an errored event, after those that can', () => {
    const reader = new EventReader(same);
    const watch = reader.watch(Disk.kind);
    reader.watch(Disk.kind);
    const broken = Uint8Array.from([...message(1), ...bytesOf(new EventItem({ eventType: wire.EventType.CREATED }))]);
    for (let i = 0; i < 2; i++) expect(watch.read(broken).map(({ type }) => type)).toEqual(['created', 'errored']);
    expect(watch.read(Uint8Array.of(0xff)).map(({ type }) => type)).toEqual(['errored']);
  });
});
