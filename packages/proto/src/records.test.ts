import { type AnyResourceType, isCosiError, type Resource } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { decodeResource, encodeRecord } from './resource-codec.js';
import { Document, declared, Envelope, Gauges, PlainDocument, specRow } from './testdata/types.js';
import {
  type BrokenRecordRow,
  fromBase64,
  metadataOf,
  metadataRow,
  type RecordRow,
  toBase64,
  vectors,
} from './testdata/vectors.js';
import { toWireResource } from './wire-resource.js';

const onlyProtobuf = (layers: readonly string[]) => layers.length === 1 && layers[0] === 'protobuf';

/** A resource of the row's type whose spec was not decoded from bytes of the row. */
function remade(resource: Resource, declaration: AnyResourceType): Resource {
  const { spec } = declaration.from(resource);
  const { namespace, owner, phase, finalizers, labels, annotations } = resource.metadata;
  const made = declaration.new(resource.metadata.id, declaration.codec.draft(spec), {
    namespace,
    owner,
    phase,
    finalizers,
    labels,
    annotations,
  });
  return made.withMetadata(resource.metadata);
}

const rows = vectors<RecordRow>('records').map((row) => {
  const record = fromBase64(row.records.find(({ layers }) => onlyProtobuf(layers))?.bytes ?? '');
  const { labels, annotations, type } = row.expect.metadata;
  return {
    ...row,
    record,
    declaration: declared.get(type),
    // Entries of maps have no order, and the peer writes them in a random one. Lengths don't depend on it.
    ordered: Object.keys(labels).length < 2 && Object.keys(annotations).length < 2,
    orderedSpec: type !== Envelope.type && type !== Document.type && type !== Gauges.type,
  };
});

describe.each(rows)('the record "$name"', ({ expect: expected, yamlSpecInRecord, record, ordered, orderedSpec }) => {
  it('is read as the peer wrote it', () => {
    const resource = decodeResource(record);
    expect(metadataRow(resource.metadata)).toEqual(expected.metadata);
    expect(resource.metadata.equals(metadataOf(expected.metadata))).toBe(true);
    const { spec } = toWireResource(resource);
    const protoSpec = fromBase64(expected.protoSpec);
    expect(spec?.protoSpec).toHaveLength(protoSpec.length);
    if (orderedSpec) expect(spec?.protoSpec).toEqual(protoSpec);
    expect(spec?.yamlSpec).toBe(yamlSpecInRecord);
  });

  it('is written as the peer wrote it, whether its type is known or not', () => {
    for (const types of [undefined, declared]) {
      const written = encodeRecord(decodeResource(record), { types });
      expect(written).toHaveLength(record.length);
      expect(metadataRow(decodeResource(written).metadata)).toEqual(expected.metadata);
      if (ordered) expect(toBase64(written)).toBe(toBase64(record));
    }
  });
});

const known = rows.flatMap((row) => (row.declaration === undefined ? [] : [{ ...row, declaration: row.declaration }]));

describe.each(known)('the known spec of "$name"', ({ expect: expected, record, declaration }) => {
  it('is read as the peer wrote it', () => {
    const typed = declaration.from(decodeResource(record));
    expect(specRow(expected.metadata.type, typed.spec)).toEqual(expected.spec);
  });

  it('is written as the peer wrote it', () => {
    const written = encodeRecord(remade(decodeResource(record), declaration), { types: declared });
    expect(written).toHaveLength(record.length);
    const again = declaration.from(decodeResource(written));
    expect(specRow(expected.metadata.type, again.spec)).toEqual(expected.spec);
  });
});

describe('the YAML of built-in types', () => {
  const builtIn = known.filter(({ declaration: { type } }) => type === 'os/path' || type.endsWith('.meta.cosi.dev'));

  it.each(builtIn)('is printed as the peer prints it: $name', ({ expect: expected, record }) => {
    const { spec } = toWireResource(decodeResource(record), { types: declared });
    // This one flag is printed, but is no field of the message.
    expect(spec?.yamlSpec).toBe(expected.yamlSpec.replace('skipAutomaticAliases: true\n', ''));
  });
});

describe('plain specs', () => {
  const documents = rows.filter(({ expect: expected }) => expected.metadata.type === PlainDocument.type);

  it.each(documents)('$name is read and written as a Struct', ({ expect: expected, record }) => {
    const typed = PlainDocument.from(decodeResource(record));
    expect(typed.spec).toEqual(expected.spec);
    const written = encodeRecord(remade(typed, PlainDocument), {
      types: new Map([[PlainDocument.type, PlainDocument]]),
    });
    expect(written).toHaveLength(record.length);
    expect(PlainDocument.from(decodeResource(written)).spec).toEqual(expected.spec);
  });
});

/** Where this project asks for something else than the peer does. */
const different: Readonly<Record<string, string>> = {
  'version "-1"': 'versions are decimal from 0',
  'version "007"': 'versions are plain decimals',
  'spec of a path with zero-length bytes': 'an empty field is read like one that is not there',
  'spec of a tagged struct with unpacked numbers': 'unpacked numbers are read, as proto3 wants it',
};

const broken = vectors<BrokenRecordRow>('broken-records').filter(({ layers }) => onlyProtobuf(layers));

describe.each(broken)('the odd record "$name"', ({ name, bytes, outcome, expect: expected }) => {
  /** Reads all there is to read: also the spec, when the type is known. */
  const read = (): { resource: Resource; spec: unknown } => {
    const resource = decodeResource(fromBase64(bytes));
    const declaration = declared.get(resource.metadata.type);
    return {
      resource,
      spec: declaration === undefined ? null : specRow(declaration.type, declaration.from(resource).spec),
    };
  };

  const reason = different[name];
  if (reason !== undefined) {
    it(`has another outcome than with the peer: ${reason}`, () => {
      if (outcome === 'value') expect(read).toThrow();
      else expect(read()).toBeDefined();
    });
  } else if (outcome === 'error') {
    it('is refused', () => {
      expect(read).toThrow(expect.toSatisfy(isCosiError));
      expect(read).toThrow(expect.objectContaining({ code: 'corrupt' }));
    });
  } else {
    it('has the value that it has for the peer', () => {
      const { resource, spec } = read();
      expect(metadataRow(resource.metadata)).toEqual(expected?.metadata);
      expect(spec).toEqual(expected?.spec);
    });
  }
});
