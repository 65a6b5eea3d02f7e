import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isCosiError } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvents, type EncodedEvent, EventItem } from './event-codec.js';
import { type Resource, ResourceSchema } from './gen/cosi/resource/resource_pb.js';
import { EventSchema, EventType, WatchResponseSchema, type Event as WireEvent } from './gen/cosi/resource/state_pb.js';
import { bytesOf } from './placed-bytes.js';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** Messages of sizes whose length takes one byte, and two. */
const resource: fc.Arbitrary<Resource> = fc
  .record({ id: text, protoSpec: fc.uint8Array({ maxLength: 150 }) })
  .map(({ id, protoSpec }) => create(ResourceSchema, { metadata: { id }, spec: { protoSpec } }));

const event: fc.Arbitrary<WireEvent> = fc
  .record({
    eventType: fc.constantFrom(0, 1, 2, 3, 4, 5),
    resource: optional(resource),
    old: optional(resource),
    error: optional(text),
    bookmark: optional(fc.uint8Array({ maxLength: 24 })),
  })
  .map((parts) => {
    const given = Object.entries(parts).filter(([, value]) => value !== undefined);
    return create(EventSchema, Object.fromEntries(given) as MessageInitShape<typeof EventSchema>);
  });

const encodedOf = ({ eventType, resource, old, error, bookmark }: WireEvent): EncodedEvent => ({
  eventType,
  resource: resource && toBinary(ResourceSchema, resource),
  old: old && toBinary(ResourceSchema, old),
  error,
  bookmark,
});

const plainOf = ({ eventType, resource, old, error, bookmark }: EncodedEvent) => ({
  eventType,
  resource,
  old,
  error,
  bookmark,
});

const encoded = (event: EncodedEvent) => bytesOf(new EventItem(event));

const joined = (parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

describe('bytes of events', () => {
  it('N6: are those that the generated codec makes, for one event and for several in a message', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 3 }), (events) => {
        const bytes = joined(events.map((each) => encoded(encodedOf(each))));
        expect(fromBinary(WatchResponseSchema, bytes)).toEqual(create(WatchResponseSchema, { event: events }));
        expect(bytes.length).toBe(toBinary(WatchResponseSchema, create(WatchResponseSchema, { event: events })).length);
      }),
    );
  });

  it('N6: are so for lengths of every size', () => {
    for (const size of [0, 119, 120, 16_370, 16_390, 2_097_140, 2_097_160]) {
      const message = create(ResourceSchema, { spec: { protoSpec: new Uint8Array(size).fill(7) } });
      const only = create(EventSchema, { resource: message, eventType: EventType.DESTROYED });
      const generated = toBinary(WatchResponseSchema, create(WatchResponseSchema, { event: [only] }));
      expect(Buffer.compare(encoded(encodedOf(only)), generated)).toBe(0);
    }
  });

  it('are read as the generated codec reads them', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 3 }), (events) => {
        const message = toBinary(WatchResponseSchema, create(WatchResponseSchema, { event: events }));
        expect(decodeEvents(message).map(plainOf)).toEqual(events.map(encodedOf));
      }),
    );
  });

  it('are read in any order of fields, with unknown ones among them, and with messages that come in parts', () => {
    const inner = new BinaryWriter()
      .tag(5, WireType.LengthDelimited)
      .bytes(Uint8Array.of(1))
      .tag(9, WireType.Varint)
      .uint32(7)
      .tag(1, WireType.LengthDelimited)
      .bytes(Uint8Array.of(10, 0))
      .tag(2, WireType.Varint)
      .int32(1)
      .tag(1, WireType.LengthDelimited)
      .bytes(Uint8Array.of(18, 0))
      .finish();
    const message = new BinaryWriter()
      .tag(2, WireType.LengthDelimited)
      .string('unknown')
      .tag(1, WireType.LengthDelimited)
      .bytes(inner)
      .finish();
    expect(decodeEvents(Buffer.from(message)).map(plainOf)).toEqual([
      {
        eventType: EventType.UPDATED,
        resource: Uint8Array.of(10, 0, 18, 0),
        old: undefined,
        error: undefined,
        bookmark: Uint8Array.of(1),
      },
    ]);
  });

  it('N7: damaged ones are read as the generated codec reads them, or are an error of a known code', () => {
    const damaged = fc
      .tuple(fc.array(event, { minLength: 1, maxLength: 2 }), fc.nat(), fc.nat(255), fc.boolean())
      .map(([events, at, byte, cut]) => {
        const bytes = joined(events.map((each) => encoded(encodedOf(each))));
        if (cut) return bytes.subarray(0, at % bytes.length);
        bytes[at % bytes.length] = byte;
        return bytes;
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 40 })), (bytes) => {
        let events: readonly EncodedEvent[];
        try {
          events = decodeEvents(bytes);
        } catch (error) {
          expect(isCosiError(error) && error.code).toBe('corrupt');
          return;
        }
        // What resources are is not looked at here. The generated codec does, and where they are damaged it reads past their
        // ends into what comes after them.
        const resources = events.flatMap(({ resource, old }) => [resource, old]);
        if (
          resources.some((each) => each !== undefined && outcome(() => fromBinary(ResourceSchema, each)) === undefined)
        )
          return;
        const generated = outcome(() => fromBinary(WatchResponseSchema, bytes));
        if (generated === undefined) return;
        expect(events.map(({ eventType }) => eventType)).toEqual(generated.event.map((each) => each.eventType));
        expect(events.map(({ error }) => error)).toEqual(generated.event.map((each) => each.error));
        expect(events.map(({ bookmark }) => bookmark)).toEqual(generated.event.map((each) => each.bookmark));
        expect(events.map(readResource)).toEqual(generated.event.map((each) => each.resource));
      }),
      { numRuns: 500 },
    );
  });
});

function readResource({ resource }: EncodedEvent): Resource | undefined {
  return resource === undefined ? undefined : fromBinary(ResourceSchema, resource);
}

function outcome<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
