import { create, createFileRegistry, type DescMessage, fromBinary, type JsonValue, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  FieldDescriptorProto_Label as Label,
  StructSchema,
  FieldDescriptorProto_Type as Type,
  timestampFromDate,
} from '@bufbuild/protobuf/wkt';
import { Metadata, Resource, type JsonValue as SpecJson } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxSpecDepth } from './freeze-message.js';
import { messageSpec } from './message-spec.js';
import { decodeResource, encodeRecord } from './resource-codec.js';
import { decodeStruct, encodeStruct } from './struct-spec.js';
import { type Gauge, GaugeSchema, PartSchema } from './testdata/gen/vectors/test/gauges_pb.js';
import { Gauges } from './testdata/types.js';
import { copyOf, WireContent } from './wire-content.js';

const codec = messageSpec(GaugeSchema);
const full = () => ({
  name: 'n',
  count: -5n,
  ratio: 1.5,
  at: timestampFromDate(new Date(0)),
  tags: ['a', ''],
  points: [1n, -1n],
  pairs: { k: -2n },
  part: { label: 'x', value: 1n },
  raw: Uint8Array.of(0, 255),
  parts: [{ label: 'y' }, {}],
});

/** Writes through a type that does not forbid it. */
function write(target: unknown, key: string, value: unknown): void {
  (target as Record<string, unknown>)[key] = value;
}

describe('specs that are messages', () => {
  it('are made from what the message is made from', () => {
    const { spec } = Gauges.new('g', full());
    expect(spec.parts[1]?.label).toBe('');
    expect(spec.word).toBe(0);
    expect(spec.$typeName).toBe('vectors.test.Gauge');
  });

  it('R8: cannot be changed by their readers', () => {
    const { spec } = Gauges.new('g', full());
    expect(() => write(spec, 'name', 'other')).toThrow(TypeError);
    expect(() => write(spec.tags, '0', 'other')).toThrow(TypeError);
    expect(() => write(spec.pairs, 'k', 1n)).toThrow(TypeError);
    expect(() => write(spec.part, 'label', 'other')).toThrow(TypeError);
    expect(() => write(spec.parts[0], 'label', 'other')).toThrow(TypeError);
    expect(() => write(spec, 'raw', Uint8Array.of(1))).toThrow(TypeError);
    const raw = spec.raw as Uint8Array;
    raw[0] = 9;
    expect(spec.raw).toEqual(Uint8Array.of(0, 255));
  });

  it('R8: do not follow what they were made from, nor the bytes that they were read from', () => {
    const input = create(GaugeSchema, full());
    const { spec } = Gauges.new('g', input);
    input.raw[0] = 9;
    input.tags.push('more');
    if (input.part !== undefined) input.part.label = 'other';
    expect(spec).toEqual(Gauges.new('g', full()).spec);

    const stored = encodeRecord(Gauges.new('g', full()));
    const read = Gauges.from(decodeResource(stored));
    stored.fill(0);
    expect(read.spec.raw).toEqual(Uint8Array.of(0, 255));
    expect(() => write(read.spec.part, 'label', 'other')).toThrow(TypeError);
  });

  it('encode when they are frozen', () => {
    const value = codec.parse(full());
    expect(fromBinary(GaugeSchema, codec.binary?.encode(value) ?? new Uint8Array(0))).toEqual(
      create(GaugeSchema, full()),
    );
  });

  it('are taken as they are when they were made here', () => {
    const value = codec.parse(full());
    expect(codec.parse(value)).toBe(value);
  });

  it('come out of drafts anew', () => {
    const value = codec.parse(full());
    const draft = codec.draft(value);
    expect(codec.equals(codec.parse(draft), value)).toBe(true);
    draft.raw[1] = 1;
    draft.parts.push(create(PartSchema, { label: 'z', value: 2n }));
    draft.pairs.new = 3n;
    const changed = codec.parse(draft);
    expect(changed.raw).toEqual(Uint8Array.of(0, 1));
    expect(changed.parts).toHaveLength(3);
    expect(codec.equals(changed, value)).toBe(false);
    expect(value.raw).toEqual(Uint8Array.of(0, 255));
  });

  it('refuse what is no such message', () => {
    const refused = expect.objectContaining({ code: 'invalid-argument' });
    const bad: unknown[] = [
      null,
      'text',
      create(StructSchema),
      { small: 2 ** 31 },
      { small: 1.5 },
      { count: 2n ** 63n },
      { count: 'many' },
      { name: 5 },
      { raw: 'bytes' },
      { tags: ['a', 1] },
      { part: { label: false } },
      { parts: [{ value: 'x' }] },
      { name: '\ud800' },
      { pairs: { '\udc00': 1n } },
    ];
    for (const input of bad) expect(() => codec.parse(input as Gauge)).toThrow(refused);
  });

  describe('that nest', () => {
    const field = { number: 1, type: Type.MESSAGE, label: Label.OPTIONAL, typeName: '.test.Node' };
    const file = create(FileDescriptorProtoSchema, {
      name: 'test.proto',
      package: 'test',
      syntax: 'proto3',
      dependency: ['google/protobuf/struct.proto'],
      messageType: [
        {
          name: 'Node',
          field: [
            { ...field, name: 'one', jsonName: 'one' },
            { ...field, name: 'list', jsonName: 'list', number: 2, label: Label.REPEATED },
            { ...field, name: 'json', jsonName: 'json', number: 3, typeName: '.google.protobuf.Struct' },
          ],
        },
      ],
    });
    const registry = createFileRegistry(file, () => file_google_protobuf_struct);
    const nested = messageSpec(registry.getMessage('test.Node') as DescMessage);
    const inner: Record<string, (depth: number) => unknown> = {
      messages: (depth) => deep(depth, (spec) => ({ one: spec })),
      'lists of messages': (depth) => deep(depth, (spec) => ({ list: [spec] })),
      'JSON objects': (depth) => ({ json: deep(depth, (json) => ({ a: json })) }),
      'JSON lists': (depth) => ({ json: { a: deep(depth, (json) => [json]) } }),
    };

    function deep(depth: number, around: (value: unknown) => unknown): unknown {
      let value: unknown = {};
      for (let i = 0; i < depth; i++) value = around(value);
      return value;
    }

    it.each(Object.keys(inner))('%s can be read back, or are refused', (name) => {
      const refused = expect.objectContaining({ code: 'invalid-argument' });
      const read = [100, 400, 498, 499, 500, 501, 600, 998, 999, 1000, 1001, 1500, 1999, 2001].filter((depth) => {
        const make = () => nested.parse(inner[name]?.(depth) as never);
        try {
          make();
        } catch (error) {
          expect(error).toEqual(refused);
          return false;
        }
        const spec = make();
        expect(nested.equals(nested.binary?.decode(nested.binary.encode(spec)) as never, spec)).toBe(true);
        expect(nested.equals(nested.fromJson(nested.toJson(spec)), spec)).toBe(true);
        return true;
      });
      expect(read).toEqual(expect.arrayContaining([100, 400, 498]));
      expect(read).not.toContain(1001);
    });
  });

  it.each<[unknown, (string | number)[]]>([
    [{ name: 'n', small: 2 ** 31 }, ['small']],
    [{ name: '\ud800' }, ['name']],
    [{ tags: ['a', 1] }, ['tags', 1]],
    [{ pairs: { a: 1n, b: 'x' } }, ['pairs', 'b']],
    [{ part: { label: false } }, ['part', 'label']],
    [{ parts: [{}, { value: 'x' }] }, ['parts', 1, 'value']],
    [{ part: 'text' }, ['part']],
    [create(GaugeSchema, { small: 1.5 }), ['small']],
    ['text', []],
  ])('tell where the fault is: %o', (input, path) => {
    const refused = expect.objectContaining({ code: 'invalid-argument', path });
    expect(() => codec.parse(input as Gauge)).toThrow(refused);
  });

  it.each<[SpecJson, (string | number)[]]>([
    [{ name: 'n', small: 'many' }, ['small']],
    [{ nam: 'n' }, ['nam']],
    [{ tags: ['a', 1] }, ['tags', 1]],
    [{ points: [1, '2', {}] }, ['points', 2]],
    [{ pairs: { a: 1, b: 'x' } }, ['pairs', 'b']],
    [{ part: { label: 'x', valu: 1 } }, ['part', 'valu']],
    [{ parts: [{}, { value: 'x' }] }, ['parts', 1, 'value']],
    [{ parts: [{}, 5] }, ['parts', 1]],
    [{ at: 'yesterday' }, ['at']],
    [{ raw: '?' }, ['raw']],
    [[], []],
  ])('tell where the fault in their printed form is: %j', (json, path) => {
    expect(() => codec.fromJson(json)).toThrow(expect.objectContaining({ code: 'invalid-argument', path }));
  });

  it('keep fields that the schema does not know, through drafts and bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 2 ** 29 - 1 }), fc.string(), (field, text) => {
        fc.pre(field < 19_000 || field > 19_999);
        const unknown = new BinaryWriter().tag(field, 2).string(text).finish();
        const stored = Uint8Array.from([...toBinary(GaugeSchema, create(GaugeSchema, full())), ...unknown]);
        const value = codec.binary?.decode(stored) as Gauge;
        const draft = codec.draft(value);
        draft.name = 'renamed';
        const changed = codec.binary?.encode(codec.parse(draft)) ?? new Uint8Array(0);
        expect(changed.subarray(-unknown.length)).toEqual(unknown);
        expect(codec.equals(value, codec.parse(full()))).toBe(false);
        expect(codec.equals(codec.parse(codec.draft(value)), value)).toBe(true);
      }),
    );
  });

  it('are equal when their fields are, NaN too', () => {
    const left = codec.parse({ ...full(), ratio: Number.NaN });
    expect(codec.equals(left, codec.parse(codec.draft(left)))).toBe(true);
    expect(codec.equals(left, codec.parse(full()))).toBe(false);
  });

  it('print as protobuf JSON and are read from it', () => {
    const value = codec.parse(full());
    const json = codec.toJson(value);
    expect(json).toMatchObject({ name: 'n', count: '-5', raw: 'AP8=', at: '1970-01-01T00:00:00Z', pairs: { k: '-2' } });
    expect(codec.equals(codec.fromJson(json), value)).toBe(true);
    expect(codec.toJson(codec.parse({}))).toEqual({});
  });

  it('report bytes that are none as corrupt', () => {
    expect(() => codec.binary?.decode(Uint8Array.of(255, 255))).toThrow(
      expect.objectContaining({ code: 'corrupt', message: expect.stringContaining('vectors.test.Gauge') }),
    );
  });

  it('report bytes that are none with the resource, at every read', () => {
    const metadata = new Metadata({ namespace: 'default', type: Gauges.type, id: 'g' });
    const content = new WireContent(metadata, copyOf({ protoSpec: Uint8Array.of(255), yamlSpec: new Uint8Array(0) }));
    const read = Gauges.from(decodeResource(encodeRecord(new Resource(metadata, content))));
    const expected = { code: 'corrupt', subject: { namespace: 'default', type: Gauges.type, id: 'g' } };
    expect(() => read.spec).toThrow(expect.objectContaining(expected));
    expect(() => read.spec).toThrow(expect.objectContaining(expected));
  });

  it('R9: are decoded once for a declaration', () => {
    const read = decodeResource(encodeRecord(Gauges.new('g', full()), { types: new Map([[Gauges.type, Gauges]]) }));
    const { spec } = Gauges.from(read);
    expect(Gauges.from(read.withMetadata(read.metadata.with({ version: 2n }))).spec).toBe(spec);
  });
});

describe('plain specs', () => {
  const json = fc.dictionary(
    fc.string({ unit: 'grapheme' }),
    fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<JsonValue>,
  );

  it('come back from the bytes of a Struct', () => {
    fc.assert(
      fc.property(json, (spec) => {
        expect(decodeStruct(encodeStruct(spec as SpecJson))).toEqual(spec);
      }),
    );
  });

  it('come back from any depth that they may have', () => {
    let spec: SpecJson = {};
    for (let depth = 0; depth < maxSpecDepth; depth += 2) spec = { list: [spec] };
    expect(decodeStruct(encodeStruct(spec))).toEqual(spec);
  });

  it('have to be objects', () => {
    for (const spec of [null, 1, 'text', []]) {
      expect(() => encodeStruct(spec)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    }
    for (const spec of [{ a: '\ud800' }, { a: ['\ud800'] }, { '\ud800': 1 }]) {
      expect(() => encodeStruct(spec)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    }
    expect(() => decodeStruct(Uint8Array.of(255, 255))).toThrow(expect.objectContaining({ code: 'corrupt' }));
  });
});
