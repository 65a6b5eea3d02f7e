import { fromBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, MalformedError } from './byte-reader.js';
import { EntryReader } from './entry-reader.js';
import { metadataTags } from './field-tags.js';
import { MetadataSchema } from './gen/cosi/resource/resource_pb.js';

const labels = new EntryReader(metadataTags.label);
const annotations = new EntryReader(metadataTags.annotation);

/** The maps of metadata, as far as there is nothing else in it. */
function read(bytes: Uint8Array) {
  labels.clear();
  annotations.clear();
  const reader = new ByteReader(bytes);
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === metadataTags.label) labels.read(reader);
    else if (tag === metadataTags.annotation) annotations.read(reader);
    else reader.skip(tag, 0);
  }
  return { labels: { ...labels.map() }, annotations: { ...annotations.map() } };
}

interface Entry {
  readonly field: number;
  readonly key: string;
  readonly value: string;
}

function written(entries: readonly Entry[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const { field, key, value } of entries) {
    writer.tag(field, WireType.LengthDelimited).fork();
    if (key !== '') writer.tag(1, WireType.LengthDelimited).string(key);
    if (value !== '') writer.tag(2, WireType.LengthDelimited).string(value);
    writer.join();
  }
  return writer.finish();
}

describe('entries of maps', () => {
  // Few texts, so that the same bytes come again; long ones, which are not kept in mind.
  const text = fc.constantFrom('', 'a', 'b', 'tier', 'ä', '__proto__', 'x'.repeat(200));
  // Field 12 is none of the metadata: it comes between.
  const entry = fc.record({ field: fc.constantFrom(10, 10, 10, 11, 12), key: text, value: text });

  it('are those that the generated code reads, in whatever order, and whatever was read before', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
        const bytes = written(entries);
        const expected = fromBinary(MetadataSchema, bytes);
        const found = read(bytes);
        expect(Object.entries(found.labels).sort()).toEqual(Object.entries(expected.labels).sort());
        expect(Object.entries(found.annotations).sort()).toEqual(Object.entries(expected.annotations).sort());
      }),
      { numRuns: 1000 },
    );
  });

  it('give one map for the same bytes', () => {
    const bytes = written([{ field: 10, key: 'app', value: 'web' }]);
    read(bytes);
    const map = labels.map();
    read(Uint8Array.from(bytes));
    expect(labels.map()).toBe(map);
  });

  it('N7: are refused where they are malformed, also after their like', () => {
    const good = written([{ field: 10, key: 'app', value: 'web' }]);
    read(good);
    const bad = Uint8Array.from(good);
    bad[3] = 9;
    for (let time = 0; time < 2; time++) expect(() => read(bad)).toThrow(MalformedError);
    expect(read(good).labels).toEqual({ app: 'web' });
  });
});
