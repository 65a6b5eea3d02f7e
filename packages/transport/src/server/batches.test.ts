import { create, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchBytes } from '../limits.js';
import { batches } from './batches.js';

function event(bytes: number, name = 'x'): wire.Event {
  const resource = { metadata: { id: name }, spec: { protoSpec: new Uint8Array(bytes) } };
  return create(wire.EventSchema, { resource });
}

const size = (events: wire.Event[]) =>
  toBinary(wire.WatchResponseSchema, create(wire.WatchResponseSchema, { event: events })).length;

describe('batches', () => {
  it('N6: keep the order, lose nothing, and hold at most 1 MiB unless it is a single event', () => {
    const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(300_000), fc.nat(2_000_000)), { maxLength: 20 });
    fc.assert(
      fc.property(sizes, fc.string({ unit: 'binary', maxLength: 200 }), (sizes, name) => {
        const events = sizes.map((bytes) => event(bytes, name));
        const parts = [...batches(events)];
        expect(parts.flat()).toEqual(events);
        for (const part of parts) {
          expect(part.length).toBeGreaterThan(0);
          if (part.length > 1) expect(size(part)).toBeLessThanOrEqual(batchBytes);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('N6: are not much smaller than they could be', () => {
    const parts = [...batches(Array.from({ length: 100 }, () => event(100_000)))];
    expect(parts).toHaveLength(10);
  });

  it('W6: there is none of nothing', () => {
    expect([...batches([])]).toEqual([]);
  });
});
