import { InvalidArgumentError, isCosiError, UnsupportedError } from './errors.js';
import type { Metadata } from './metadata.js';
import { pointerText } from './pointer.js';
import { Resource, TypedResource } from './resource.js';
import { type AnyResourceType, DeclaredContent } from './spec-content.js';
import type { SpecPath } from './spec-path.js';
import { specYaml, untypedYaml } from './spec-yaml.js';
import { isTombstone } from './tombstone.js';
import type { TypeLookup } from './type-registry.js';
import { YamlContent } from './yaml-content.js';
import type { YamlPosition } from './yaml-error.js';
import { printedMetadata, readMetadata } from './yaml-metadata.js';
import { type YamlMapping, type YamlNode, type YamlSource, yamlSources } from './yaml-source.js';
import { embeddedYaml, extractedYaml } from './yaml-text.js';
import { nodeAt, yamlToJson } from './yaml-value.js';

export interface ToYamlOptions {
  /** Where declarations are looked up by type, for snapshots that have none. Default: none. */
  readonly registry?: TypeLookup | undefined;
}

/**
 * The YAML of a resource: a mapping of `metadata` and `spec`, that {@link parseYaml} reads back to an equal resource but
 * for the fractions of seconds in its times. The spec is printed by the snapshot's own declaration, else by one from the
 * registry, else it is the YAML that it came with.
 *
 * Throws `unsupported` when there is none of these, and `invalid-argument` for tombstones and for specs that are not
 * what they claim to be.
 */
export function toYaml(resource: Resource, options: ToYamlOptions = {}): string {
  const { metadata, content } = resource;
  if (isTombstone(resource)) {
    throw new InvalidArgumentError(`resource ${pointerText(metadata)} is a tombstone: it has no spec`, {
      subject: metadata,
    });
  }
  const declaration: AnyResourceType | undefined =
    content.declaration ??
    (resource as Partial<TypedResource<unknown>>).declaration ??
    options.registry?.get(metadata.type);
  const spec =
    declaration === undefined ? keptYaml(resource) : specYaml(declaration.codec.toJson(content.valueFor(declaration)));
  return `${untypedYaml(new Map([['metadata', printedMetadata(metadata)]]))}spec:${embeddedYaml(spec)}`;
}

function keptYaml({ metadata, content }: Resource): string {
  if (content.yaml !== undefined && content.yaml !== '') return content.yaml;
  throw new UnsupportedError(
    `resource ${pointerText(metadata)} cannot be printed: its type is not known here, and its spec came without YAML`,
    { subject: metadata },
  );
}

export interface ParseYamlOptions {
  /**
   * What to do with a document of a type that is not in the registry: `refuse` it, or `keep` the YAML of its spec as it
   * is in an opaque resource. Default: refuse.
   */
  readonly unknownTypes?: 'refuse' | 'keep' | undefined;
}

/** A resource that was read, and where its document begins. */
export interface YamlDocument extends YamlPosition {
  readonly resource: Resource;
}

/**
 * Reads a stream of YAML documents, of which each is a resource; empty ones are skipped. `type`, `id` and a spec are
 * needed; the rest has defaults: the type's namespace, version undefined, phase running, the Unix epoch.
 *
 * Texts are what is written, never what YAML makes of it: a label `0x10` stays these characters. Specs are read by the
 * type's declaration from data typed by YAML's core schema.
 *
 * Throws {@link YamlError} (code `invalid-argument`) at the first fault, also when the documents before it are good.
 */
export function parseYaml(text: string, registry: TypeLookup, options: ParseYamlOptions = {}): readonly YamlDocument[] {
  const documents: YamlDocument[] = [];
  for (const source of yamlSources(text)) {
    documents.push({ resource: readResource(source, registry, options), ...source.position(source.root) });
  }
  return documents;
}

function readResource(source: YamlSource, registry: TypeLookup, options: ParseYamlOptions): Resource {
  const parts = readParts(source);
  const described = readMetadata(source, parts.metadata);
  const declaration = registry.get(described.type);
  if (declaration !== undefined)
    return readTyped(source, described.finish(declaration.namespace), parts.spec, declaration);
  if (options.unknownTypes !== 'keep') {
    throw source.fault(described.typeNode, `the resource type ${JSON.stringify(described.type)} is not known`);
  }
  const metadata = described.finish(undefined);
  return new Resource(metadata, new YamlContent(metadata, extractedYaml(source, parts.spec)));
}

function readParts(source: YamlSource): { readonly metadata: YamlMapping; readonly spec: YamlMapping } {
  const root = source.mapping(source.root, 'a resource', source.root);
  const found = new Map<string, YamlMapping>();
  for (const { key, value } of root.items) {
    const name = source.text(key, 'a key', root);
    const at = (key as YamlNode | null) ?? root;
    if (name !== 'metadata' && name !== 'spec') {
      throw source.fault(at, `a resource has metadata and spec, and no ${JSON.stringify(name)}`);
    }
    if (found.has(name)) throw source.fault(at, `${name} comes twice`);
    found.set(name, source.mapping(value, name, at));
  }
  const metadata = found.get('metadata');
  const spec = found.get('spec');
  if (metadata === undefined || spec === undefined) {
    throw source.fault(root, `a resource must have ${metadata === undefined ? 'metadata' : 'a spec'}`);
  }
  return { metadata, spec };
}

function readTyped(
  source: YamlSource,
  metadata: Metadata,
  spec: YamlMapping,
  declaration: AnyResourceType,
): TypedResource<unknown> {
  const { codec } = declaration;
  const json = yamlToJson(source, spec, codec.scalars ?? 'typed');
  let value: unknown;
  try {
    value = codec.fromJson(json);
  } catch (error) {
    if (!isCosiError(error)) throw error;
    const path = (error as { readonly path?: SpecPath }).path ?? [];
    throw source.fault(nodeAt(spec, path), error.message, { cause: error, path });
  }
  return new TypedResource(metadata, new DeclaredContent(declaration, value), declaration);
}
