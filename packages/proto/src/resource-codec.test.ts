import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  defineResource,
  isCosiError,
  isTombstone,
  kindTombstone,
  Metadata,
  maxVersion,
  Resource,
  Timestamp,
  tombstone,
} from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResourceSchema } from './gen/cosi/resource/resource_pb.js';
import { decodeResource, encodeRecord, encodeResource } from './resource-codec.js';
import { copyOf, WireContent } from './wire-content.js';
import {
  fromWireMetadata,
  fromWireResource,
  fromWireTombstone,
  toWireMetadata,
  toWireResource,
} from './wire-resource.js';

/** Any text that has a UTF-8 form, odd keys of objects among them. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('__proto__', 'constructor', '10', '9', '', '\ufeffmark', '/', '\0', '\u{10ffff}'),
);

const timestamp = fc
  .tuple(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([seconds, nanos]) => new Timestamp(seconds, nanos));

const stringMap = fc.array(fc.tuple(text, text), { maxLength: 8 }).map((entries) => {
  const map = Object.create(null) as Record<string, string>;
  for (const [key, value] of entries) map[key] = value;
  return map;
});

const metadata = fc
  .record({
    namespace: text,
    type: text,
    id: text,
    version: fc.option(fc.bigInt({ min: 0n, max: maxVersion }), { nil: undefined }),
    owner: text,
    phase: fc.constantFrom('running' as const, 'tearingDown' as const),
    created: timestamp,
    updated: timestamp,
    finalizers: fc.array(text, { maxLength: 5 }),
    labels: stringMap,
    annotations: stringMap,
  })
  .map((init) => new Metadata(init));

const bytes = fc.uint8Array({ maxLength: 600 });

const resource = fc
  .tuple(metadata, bytes, bytes)
  .map(([meta, protoSpec, yamlSpec]) => new Resource(meta, new WireContent(meta, copyOf({ protoSpec, yamlSpec }))));

function same(a: Resource, b: Resource): void {
  expect(a.equals(b)).toBe(true);
  expect(a.metadata.created).toEqual(b.metadata.created);
  expect(a.metadata.updated).toEqual(b.metadata.updated);
  expect(a.metadata.finalizers).toEqual(b.metadata.finalizers);
}

const one = new Metadata({ namespace: 'n', type: 'T', id: 'i', version: 1n, labels: { b: '2', a: '1' } });
const opaque = new Resource(
  one,
  new WireContent(one, copyOf({ protoSpec: Uint8Array.of(1, 2, 3), yamlSpec: new TextEncoder().encode('a: 1\n') })),
);

describe('bytes of resources', () => {
  it('N6: are made once for a snapshot, and those that are not to be kept are not', () => {
    const kept = encodeResource(opaque);
    expect(encodeResource(opaque)).toBe(kept);
    expect(encodeResource(opaque, { keep: false })).toBe(kept);
    const other = opaque.withMetadata(opaque.metadata.with({ version: 2n }));
    const passing = encodeResource(other, { keep: false });
    expect(encodeResource(other)).not.toBe(passing);
    expect(encodeResource(other)).toEqual(passing);
  });

  it('N7: YAML that is not UTF-8 is kept as it is, unless it is to be well-formed', () => {
    const utf8 = new TextEncoder();
    const yamlOf = (yamlSpec: Uint8Array, wellFormed: boolean) => {
      const sent = new Resource(one, new WireContent(one, copyOf({ protoSpec: Uint8Array.of(0xff), yamlSpec })));
      return (decodeResource(encodeResource(sent), { wellFormed }).content as WireContent).parts().yamlSpec;
    };
    const damaged = Uint8Array.of(0x61, 0xff, 0x62);
    expect(yamlOf(damaged, false)).toEqual(damaged);
    expect(yamlOf(damaged, true)).toEqual(utf8.encode('a\ufffdb'));
    for (const text of ['', 'a: 1\n', 'grüße: \u{1f642}\n'])
      expect(yamlOf(utf8.encode(text), true)).toEqual(utf8.encode(text));
  });

  it('R16: hold everything that a resource has, its opaque spec byte for byte', () => {
    fc.assert(
      fc.property(resource, (original) => {
        same(decodeResource(encodeResource(original)), original);
        same(decodeResource(encodeRecord(original)), original);
      }),
    );
  });

  it('keep their specs where they lie when they are given away, also many in one buffer', () => {
    fc.assert(
      fc.property(fc.array(resource, { maxLength: 5 }), (originals) => {
        const records = originals.map((original) => encodeRecord(original));
        const shared = new Uint8Array(records.reduce((sum, { length }) => sum + length + 3, 0));
        let at = 0;
        const views = records.map((record) => {
          shared.set(record, at + 3);
          at += 3 + record.length;
          return shared.subarray(at - record.length, at);
        });
        for (const [i, view] of views.entries()) {
          const decoded = decodeResource(view, { owned: true });
          const original = originals[i] as Resource;
          same(decoded, original);
          expect(decoded.content.encodedBytes).toBe(original.content.encodedBytes);
          expect(encodeRecord(decoded)).toEqual(records[i]);
        }
      }),
    );
  });

  it('R2: hold versions past 2^53', () => {
    for (const version of [undefined, 0n, 2n ** 53n + 1n, maxVersion]) {
      const encoded = encodeResource(opaque.withMetadata(one.with({ version })));
      expect(decodeResource(encoded).metadata.version).toBe(version);
    }
  });

  it('R1: hold times before 1970 with their nanoseconds, and the epoch as an empty message', () => {
    for (const time of ['0001-01-01T00:00:00.000000001Z', '1969-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59Z']) {
      const created = Timestamp.parse(time);
      const encoded = encodeResource(opaque.withMetadata(one.with({ created })));
      expect(decodeResource(encoded).metadata.created.toString()).toBe(time);
      const message = fromBinary(ResourceSchema, encoded);
      expect(message.metadata?.created?.nanos).toBe(created.nanos);
      expect(message.metadata?.updated).toMatchObject({ seconds: 0n, nanos: 0 });
    }
  });

  it('R6: hold labels in the order of their keys', () => {
    const other = opaque.withMetadata(one.with({ labels: { a: '1', b: '2' } }));
    expect(encodeRecord(other)).toEqual(encodeRecord(opaque));
  });

  it('are what the generated code reads and writes', () => {
    fc.assert(
      fc.property(metadata, bytes, fc.string({ unit: 'grapheme' }), (meta, protoSpec, yaml) => {
        const yamlSpec = new TextEncoder().encode(yaml);
        const original = new Resource(meta, new WireContent(meta, copyOf({ protoSpec, yamlSpec })));
        const message = fromBinary(ResourceSchema, encodeResource(original));
        expect(message).toEqual(toWireResource(original));
        same(fromWireResource(message), original);
        same(decodeResource(toBinary(ResourceSchema, toWireResource(original))), original);
      }),
    );
  });

  it('are made once for a snapshot as it is sent', () => {
    const types = new Map();
    expect(encodeResource(opaque)).toBe(encodeResource(opaque));
    expect(encodeResource(opaque, { types })).toBe(encodeResource(opaque, { types }));
  });

  it('are not kept', () => {
    const encoded = encodeRecord(opaque);
    const decoded = decodeResource(encoded);
    encoded.fill(0);
    same(decoded, opaque);
  });

  it('refuse text that has no UTF-8 form', () => {
    const bad = [
      { owner: '\ud800' },
      { finalizers: ['\udc00'] },
      { labels: { k: '\ud800' } },
      { annotations: { '\ud800': '' } },
    ];
    for (const change of bad) {
      const broken = opaque.withMetadata(one.with(change));
      const refused = expect.objectContaining({
        code: 'invalid-argument',
        subject: { namespace: 'n', type: 'T', id: 'i' },
      });
      expect(() => encodeResource(broken)).toThrow(refused);
      expect(() => encodeRecord(broken)).toThrow(refused);
      expect(() => toWireResource(broken)).toThrow(refused);
    }
  });
});

describe('bytes that are no resource', () => {
  it('are an error of this system or another resource, whatever is done to them', () => {
    const damage = fc.tuple(
      resource,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.nat(),
    );
    fc.assert(
      fc.property(damage, ([original, flips, cut]) => {
        const damaged = encodeRecord(original).slice();
        for (const [at, mask] of flips) damaged[at % damaged.length] = mask;
        for (const input of [damaged, damaged.subarray(0, cut % damaged.length)]) {
          try {
            encodeRecord(decodeResource(input));
          } catch (error) {
            if (!isCosiError(error) || error.code !== 'corrupt') throw error;
          }
        }
      }),
    );
  });

  it('are an error when they are cut anywhere but between the two parts', () => {
    const encoded = encodeRecord(opaque);
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decodeResource(encoded.subarray(0, length))).toThrow(expect.objectContaining({ code: 'corrupt' }));
    }
  });

  it('name the resource as far as it was read', () => {
    const message = toWireResource(opaque);
    if (message.metadata !== undefined) message.metadata.version = '1x';
    const subject = { namespace: 'n', type: 'T', id: 'i' };
    expect(() => decodeResource(toBinary(ResourceSchema, message))).toThrow(
      expect.objectContaining({ subject, message: expect.stringContaining('T(n/i)') }),
    );
    expect(() => fromWireResource(message)).toThrow(expect.objectContaining({ subject }));
    expect(() => decodeResource(encodeRecord(opaque).subarray(0, 2))).toThrow(
      expect.objectContaining({ subject: undefined }),
    );
  });

  it('R3: name the text that is no phase', () => {
    const message = toWireMetadata(one);
    message.phase = 'Running';
    expect(() => fromWireMetadata(message)).toThrow(/"Running"/);
  });

  it('are reported as an invalid argument to whom they are one', () => {
    expect(() => decodeResource(Uint8Array.of(9), { fault: 'invalid-argument' })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
  });

  it('cannot make the reader allocate what they claim', () => {
    const claim = Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f);
    expect(() => decodeResource(claim)).toThrow(/unexpected end/);
  });

  it('may nest unknown groups only so deep', () => {
    const groups = (depth: number) => {
      const open = new Array<number>(depth).fill(0x1b);
      const close = new Array<number>(depth).fill(0x1c);
      return Uint8Array.from([...encodeRecord(opaque), ...open, ...close]);
    };
    same(decodeResource(groups(8)), opaque);
    expect(() => decodeResource(groups(100_000))).toThrow(/nest deeper/);
  });
});

describe('tombstones', () => {
  const now = Timestamp.parse('2024-03-01T10:20:30.000000001Z');

  it('R12: have a spec on the wire, which is empty', () => {
    for (const stone of [kindTombstone({ namespace: 'n', type: 'T' }, now), tombstone(one, now, 7n)]) {
      const message = fromBinary(ResourceSchema, encodeResource(stone));
      expect(message).toEqual(toWireResource(stone));
      expect(message.spec).toMatchObject({ yamlSpec: '', protoSpec: new Uint8Array(0) });
      const read = fromWireTombstone(message);
      expect(isTombstone(read)).toBe(true);
      expect(read.metadata.equals(stone.metadata)).toBe(true);
      expect(read.metadata.created).toEqual(now);
    }
  });

  it('R12: have no spec to read', () => {
    const Thing = defineResource({ type: 'T', namespace: 'n' });
    const read = fromWireTombstone(toWireResource(tombstone(one, now)));
    expect(() => Thing.from(read).spec).toThrow(/tombstone/);
  });
});
