import { fromBinary } from '@bufbuild/protobuf';
import {
  type AnyResourceType,
  defineResource,
  Metadata,
  parseYaml,
  Resource,
  Timestamp,
  tombstone,
} from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { ResourceSchema } from './gen/cosi/resource/resource_pb.js';
import { decodeResource, encodeRecord, encodeResource } from './resource-codec.js';
import { encodeStruct } from './struct-spec.js';
import { copyOf, WireContent } from './wire-content.js';

const Thing = defineResource<{ size: number }>({ type: 'Things.proto.test', namespace: 'n' });
const Loose = defineResource({ type: Thing.type, namespace: 'n' });
const types = new Map<string, AnyResourceType>([[Thing.type, Thing]]);
const metadata = new Metadata({ namespace: 'n', type: Thing.type, id: 'i', version: 1n });

function wireThing(protoSpec: Uint8Array, yamlSpec = ''): Resource {
  return new Resource(
    metadata,
    new WireContent(metadata, copyOf({ protoSpec, yamlSpec: new TextEncoder().encode(yamlSpec) })),
  );
}

function yamlIn(bytes: Uint8Array): string | undefined {
  return fromBinary(ResourceSchema, bytes).spec?.yamlSpec;
}

const kept = wireThing(encodeStruct({ size: 3 }), 'size: three\n');

describe('the YAML of a spec on the wire', () => {
  it('comes from the declaration that the spec was made with', () => {
    const yaml = yamlIn(encodeResource(Thing.new('i', { size: 3 })));
    expect(yaml).toBe('size: 3\n');
    expect(yamlIn(encodeResource(Thing.new('i', {} as never)))).toBe('{}\n');
  });

  it('comes from the declaration that the snapshot was read with', () => {
    expect(yamlIn(encodeResource(Thing.from(kept)))).toBe('size: 3\n');
  });

  it('comes from the declarations that are known by name', () => {
    expect(yamlIn(encodeResource(kept, { types }))).toBe('size: 3\n');
  });

  it('comes from what was kept, else is left out', () => {
    expect(yamlIn(encodeResource(kept))).toBe('size: three\n');
    expect(yamlIn(encodeResource(wireThing(encodeStruct({ size: 3 }))))).toBe('');
  });

  it('stays as it was when the declaration cannot read the spec', () => {
    const rubbish = wireThing(Uint8Array.of(255), 'what: it was\n');
    expect(yamlIn(encodeResource(rubbish, { types }))).toBe('what: it was\n');
    expect(decodeResource(encodeResource(rubbish, { types })).equals(rubbish)).toBe(true);
  });

  it('is not there for a tombstone', () => {
    const stone = tombstone(metadata, Timestamp.epoch);
    expect(yamlIn(encodeResource(stone, { types }))).toBe('');
    expect(yamlIn(encodeRecord(stone, { types }))).toBe('');
  });
});

describe('the YAML of a spec in a record', () => {
  it('is left out for the types that are known, whatever was kept', () => {
    expect(yamlIn(encodeRecord(kept, { types }))).toBe('');
    expect(yamlIn(encodeRecord(Thing.new('i', { size: 3 }), { types }))).toBe('');
  });

  it('is kept for others, or made by the declaration of the snapshot', () => {
    expect(yamlIn(encodeRecord(kept))).toBe('size: three\n');
    expect(yamlIn(encodeRecord(Thing.new('i', { size: 3 })))).toBe('size: 3\n');
  });
});

describe('contents from the wire', () => {
  it('R16: are equal when their bytes and their YAML are', () => {
    const bytes = encodeStruct({ size: 3 });
    expect(wireThing(bytes, 'a').equals(wireThing(bytes, 'a'))).toBe(true);
    expect(wireThing(bytes, 'a').equals(wireThing(bytes, 'b'))).toBe(false);
    expect(wireThing(bytes).equals(wireThing(Uint8Array.of(1)))).toBe(false);
  });

  it('R7: are compared as specs with what a declaration made', () => {
    expect(
      wireThing(encodeStruct({ size: 3 }), 'whatever').equals(Thing.new('i', { size: 3 }).withMetadata(metadata)),
    ).toBe(true);
    expect(
      Thing.new('i', { size: 4 })
        .withMetadata(metadata)
        .equals(wireThing(encodeStruct({ size: 3 }))),
    ).toBe(false);
  });

  it('R9: can be read by several declarations', () => {
    expect(Thing.from(kept).spec.size).toBe(3);
    expect(Loose.from(kept).spec).toEqual({ size: 3 });
    expect(Thing.from(kept).spec.size).toBe(3);
  });

  it('tell how many bytes they take', () => {
    expect(kept.content.encodedBytes).toBe(encodeStruct({ size: 3 }).length + 'size: three\n'.length);
  });

  it('give away the YAML that they came with', () => {
    expect(kept.content.yaml).toBe('size: three\n');
    expect(wireThing(new Uint8Array(0)).content.yaml).toBeUndefined();
  });
});

describe('a spec that was read from YAML', () => {
  const [document] = parseYaml(`metadata: {type: ${Thing.type}, id: i, namespace: n}\nspec: {size: 3}\n`, new Map(), {
    unknownTypes: 'keep',
  });
  const resource = document?.resource as Resource;

  it('has bytes as soon as its type is known', () => {
    for (const bytes of [encodeResource(resource, { types }), encodeRecord(Thing.from(resource))]) {
      expect(Thing.from(decodeResource(bytes)).spec).toEqual({ size: 3 });
      expect(yamlIn(bytes)).toBe('size: 3\n');
    }
    expect(yamlIn(encodeRecord(resource, { types }))).toBe('');
  });

  it('cannot be encoded before', () => {
    const refused = expect.objectContaining({
      code: 'invalid-argument',
      subject: { namespace: 'n', type: Thing.type, id: 'i' },
    });
    expect(() => encodeResource(resource)).toThrow(refused);
    expect(() => encodeRecord(resource)).toThrow(refused);
  });
});
