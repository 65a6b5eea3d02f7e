import { describe, expect, it } from 'vitest';
import vectors from '../../../tools/vectors/yaml.json' with { type: 'json' };
import { isInvalidArgument, isUnsupported } from './error-guards.js';
import { checkedJsonSpec } from './json-spec.js';
import { Metadata } from './metadata.js';
import { parsePhase } from './phase.js';
import { Resource } from './resource.js';
import { defineResource } from './resource-type.js';
import { invalidSpec } from './spec-path.js';
import { Timestamp } from './timestamp.js';
import { createTypeRegistry } from './type-registry.js';
import { parseVersion } from './version.js';
import { parseYaml, toYaml } from './yaml.js';
import { YamlContent } from './yaml-content.js';
import { YamlError } from './yaml-error.js';

interface MetadataRow {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly owner: string;
  readonly phase: string;
  readonly created: string;
  readonly updated: string;
  readonly finalizers: readonly string[];
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

interface PrintRow {
  readonly name: string;
  readonly metadata: MetadataRow;
  readonly yamlSpec: string;
  readonly yaml: string;
  readonly goError?: string;
}

interface ParseRow {
  readonly name: string;
  readonly yaml: string;
  readonly documents: readonly { readonly metadata: MetadataRow; readonly spec: unknown }[];
  readonly goError?: string;
}

const printRows = vectors.print as unknown as readonly PrintRow[];
const parseRows = vectors.parse as unknown as readonly ParseRow[];

const path = defineResource({ type: 'os/path', namespace: 'default' });
const Envelope = defineResource({
  type: 'Envelopes.vectors.test',
  namespace: 'default',
  spec: checkedJsonSpec((input) => {
    const spec = input as Record<string, unknown>;
    if (Array.isArray(spec.labels)) throw invalidSpec(['labels'], 'must be an object');
    return spec;
  }),
});
const builtIn = createTypeRegistry();
const registry = createTypeRegistry([path, Envelope]);

function metadataOf(row: MetadataRow): Metadata {
  return new Metadata({
    ...row,
    version: parseVersion(row.version),
    phase: parsePhase(row.phase),
    created: Timestamp.parse(row.created),
    updated: Timestamp.parse(row.updated),
  });
}

function opaque(row: PrintRow): Resource {
  const metadata = metadataOf(row.metadata);
  return new Resource(metadata, new YamlContent(metadata, row.yamlSpec));
}

function failure(text: string, options?: Parameters<typeof parseYaml>[2]): YamlError {
  try {
    parseYaml(text, registry, options);
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('printing against the golden vectors', () => {
  const printable = printRows.filter((row) => row.goError === undefined);

  it('has all rows', () => {
    expect([printRows.length, printable.length]).toEqual([75, 74]);
  });

  it.each(printable)('R15: $name is printed as the peer prints it', (row) => {
    expect(toYaml(opaque(row))).toBe(row.yaml);
  });

  it.each(printable.filter((row) => builtIn.get(row.metadata.type) !== undefined))(
    'R15: $name is printed as the peer prints it by its declaration',
    (row) => {
      const type = builtIn.get(row.metadata.type);
      expect(toYaml(type?.from(opaque(row)) as Resource)).toBe(row.yaml);
      expect(toYaml(opaque(row), { registry: builtIn })).toBe(row.yaml);
    },
  );

  it.each(printable)('R15: $name is read back as it was', (row) => {
    const [document, ...more] = parseYaml(row.yaml, createTypeRegistry(), { unknownTypes: 'keep' });
    const type = builtIn.get(row.metadata.type);
    const expected = type === undefined ? opaque(row) : type.from(opaque(row));
    expect(more).toEqual([]);
    expect(document?.resource.equals(expected)).toBe(true);
    expect(document?.resource.content.yaml).toBe(type === undefined ? row.yamlSpec : undefined);
    expect(toYaml(document?.resource as Resource)).toBe(row.yaml);
  });

  it('R15: a spec without YAML of a type that is not known cannot be printed', () => {
    const [row] = printRows.filter(({ goError }) => goError !== undefined);
    expect(() => toYaml(opaque(row as PrintRow))).toThrow(/came without YAML/);
    try {
      toYaml(opaque(row as PrintRow));
    } catch (error) {
      expect(isUnsupported(error)).toBe(true);
    }
  });
});

/** Where the rules ask for more than the peer does: what happens here instead. */
const differences: ReadonlyMap<string, (row: ParseRow) => void> = new Map([
  [
    'empty document between',
    (row) => expect(parseYaml(row.yaml, registry).map(({ document }) => document)).toEqual([1, 3]),
  ],
  ['no id', (row) => expect(failure(row.yaml)).toMatchObject({ line: 2, column: 3 })],
  ['version negative', (row) => expect(failure(row.yaml)).toMatchObject({ line: 5, column: 12 })],
  [
    'finalizer twice',
    (row) => expect(parseYaml(row.yaml, registry)[0]?.resource.metadata.finalizers).toEqual(['a', 'b']),
  ],
  [
    'resource definition, sensitivity unknown',
    (row) => expect(failure(row.yaml)).toMatchObject({ line: 6, column: 16, path: ['sensitivity'] }),
  ],
]);

describe('reading against the golden vectors', () => {
  it('has all rows', () => {
    const names = new Set(parseRows.map(({ name }) => name));
    expect(parseRows).toHaveLength(72);
    expect([...differences.keys()].filter((name) => !names.has(name))).toEqual([]);
  });

  it.each(parseRows.filter(({ name, goError }) => goError === undefined && !differences.has(name)))(
    'R15: $name is read as the peer reads it',
    (row) => {
      const documents = parseYaml(row.yaml, registry);
      // What a document leaves out is a default here: the epoch, where the peer has the year 1, and the type's namespace.
      const time = (text: string) => (text.startsWith('0001-') ? Timestamp.epoch : Timestamp.parse(text));
      expect(documents.map(({ resource }) => JSON.parse(JSON.stringify(resource)))).toEqual(
        row.documents.map(({ metadata, spec }) => ({
          metadata: {
            ...metadata,
            namespace: metadata.namespace || registry.get(metadata.type)?.namespace,
            created: time(metadata.created).toString(),
            updated: time(metadata.updated).toString(),
          },
          spec: spec ?? {},
        })),
      );
    },
  );

  const refused = parseRows.filter(({ name, goError }) => goError !== undefined && !differences.has(name));

  it.each(refused)('R15: $name is refused as by the peer, with line and column', (row) => {
    const error = failure(row.yaml);
    expect(isInvalidArgument(error)).toBe(true);
    expect(error.document).toBe(row.documents.length + 1);
    expect(error.line).toBeGreaterThan(0);
    expect(error.line).toBeLessThanOrEqual(row.yaml.split('\n').length);
    expect(error.column).toBeGreaterThan(0);
    expect(error.message).toContain(`line ${error.line}, column ${error.column}`);
  });

  /** The peer, too, says where within the metadata a fault is. */
  const placed = refused.flatMap((row) => {
    const [, place] = /metadata: (\d+:\d+) /.exec(row.goError ?? '') ?? [];
    return place === undefined ? [] : [{ ...row, place }];
  });

  it.each(placed)('R15: $name is refused at $place', (row) => {
    const { line, column } = failure(row.yaml);
    expect(`${line}:${column}`).toBe(row.place);
  });

  it.each(parseRows.filter(({ name }) => differences.has(name)))('R15: $name is read by our rules', (row) => {
    differences.get(row.name)?.(row);
  });
});
