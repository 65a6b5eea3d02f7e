import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { decodeEvents, type EncodedEvent, wire } from '@cosi-ts/proto';
import { isCorrupt, isOverrun, isTombstone, OverrunError } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { readEvent } from './events.js';

const kind = { namespace: 'a', type: 'T' };
const metadata = { ...kind, id: 'x', version: '3', phase: 'running' };

function read(event: MessageInitShape<typeof wire.EventSchema>): Event {
  const message = toBinary(wire.WatchResponseSchema, create(wire.WatchResponseSchema, { event: [event] }));
  return readEvent(decodeEvents(message)[0] as EncodedEvent, kind);
}

function fault(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('readEvent', () => {
  it('W4: what was destroyed without version and spec was never there', () => {
    const absent = read({ eventType: 2, resource: { metadata: { ...metadata, version: 'undefined' }, spec: {} } });
    expect(absent).toMatchObject({ type: 'destroyed', resource: { metadata: { id: 'x', version: undefined } } });
    expect(absent.type === 'destroyed' && isTombstone(absent.resource)).toBe(true);
    const gone = read({ eventType: 2, resource: { metadata, spec: {} } });
    expect(gone.type === 'destroyed' && isTombstone(gone.resource)).toBe(false);
  });

  it('W3: bootstrapped and noop carry a tombstone of the kind, also when a peer sends none', () => {
    for (const [eventType, type] of [
      [3, 'bootstrapped'],
      [5, 'noop'],
    ] as const) {
      const bookmark = new Uint8Array([1]);
      expect(read({ eventType, bookmark })).toMatchObject({
        type,
        bookmark,
        resource: { metadata: { ...kind, id: '' } },
      });
      const sent = { metadata: { ...kind, version: 'undefined', phase: 'running' }, spec: {} };
      const event = read({ eventType, resource: sent });
      expect(event.type === type && isTombstone(event.resource)).toBe(true);
      expect(event).not.toHaveProperty('bookmark');
    }
  });

  it('W12: the text of an overrun is recognised, ours and the peer’s', () => {
    const { message } = new OverrunError(kind, 1n, 2n, 3);
    for (const error of [message, 'buffer overrun: namespace "a" type "T", write pos 260, pos 6, capacity 100']) {
      const event = read({ eventType: 4, error });
      expect(event.type === 'errored' && isOverrun(event.error) && event.error.subject).toEqual(kind);
      expect(event.type === 'errored' && event.error.message).toBe(error);
    }
    expect(read({ eventType: 4, error: 'else' })).toMatchObject({ error: { code: 'unknown', message: 'else' } });
    expect(read({ eventType: 4 })).toMatchObject({ error: { code: 'unknown', message: '' } });
  });

  it('W3: an updated event may come without the resource before', () => {
    expect(read({ eventType: 1, resource: { metadata, spec: {} } })).not.toHaveProperty('old');
    const both = read({ eventType: 1, resource: { metadata, spec: {} }, old: { metadata, spec: {} } });
    expect(both).toMatchObject({ old: { metadata: { version: 3n } } });
  });

  it('N7: what is no event is corrupt', () => {
    expect(isCorrupt(fault(() => read({ eventType: 9 as never, resource: { metadata, spec: {} } })))).toBe(true);
    expect(isCorrupt(fault(() => read({ eventType: 0 })))).toBe(true);
    expect(isCorrupt(fault(() => read({ eventType: 0, resource: { metadata } })))).toBe(true);
    expect(isCorrupt(fault(() => read({ resource: { metadata: { ...metadata, version: '' }, spec: {} } })))).toBe(true);
  });
});
