import { isCosiError } from './errors.js';
import { setOwn } from './frozen-data.js';
import { Metadata, type MetadataInit } from './metadata.js';
import { parsePhase } from './phase.js';
import type { UntypedYaml } from './spec-yaml.js';
import { type StringMap, sortedKeys } from './string-map.js';
import { Timestamp } from './timestamp.js';
import { formatVersion, parseVersion } from './version.js';
import type { YamlMapping, YamlNode, YamlSource } from './yaml-source.js';

/** Metadata in the form in which it is printed: times in whole seconds, empty collections left out. */
export function printedMetadata(metadata: Metadata): UntypedYaml {
  const printed = new Map<string, UntypedYaml>([
    ['namespace', metadata.namespace],
    ['type', metadata.type],
    ['id', metadata.id],
    ['version', formatVersion(metadata.version)],
    ['owner', metadata.owner],
    ['phase', metadata.phase],
    ['created', metadata.created.toString('seconds')],
    ['updated', metadata.updated.toString('seconds')],
  ]);
  const labels = printedMap(metadata.labels);
  const annotations = printedMap(metadata.annotations);
  if (labels.size > 0) printed.set('labels', labels);
  if (annotations.size > 0) printed.set('annotations', annotations);
  if (metadata.finalizers.length > 0) printed.set('finalizers', metadata.finalizers);
  return printed;
}

function printedMap(map: StringMap): ReadonlyMap<string, string> {
  return new Map(sortedKeys(map).map((key) => [key, map[key] as string]));
}

/** What a document says of the metadata. */
export interface MetadataSource {
  readonly type: string;
  readonly typeNode: YamlNode;
  /** Makes the metadata. A namespace that the document does not give is the default one, or an error when there is none. */
  finish(defaultNamespace: string | undefined): Metadata;
}

type Fields = { -readonly [Key in keyof MetadataInit]?: MetadataInit[Key] };

/** Reads the mapping of `metadata`. Of a key that comes twice the last one counts, as it does for peers; unknown keys don't count. */
export function readMetadata(source: YamlSource, node: YamlMapping): MetadataSource {
  const fields: Fields = {};
  let typeNode: YamlNode = node;
  for (const { key, value } of node.items) {
    const at = key as YamlNode;
    const name = source.text(key, 'a key of metadata', node);
    readField(fields, name, source, value, at);
    if (name === 'type') typeNode = (value as YamlNode | null) ?? at;
  }
  const { namespace, type, id } = fields;
  if (type === undefined) throw source.fault(node, 'metadata must have a type');
  if (id === undefined) throw source.fault(node, 'metadata must have an id');
  return {
    type,
    typeNode,
    finish(defaultNamespace) {
      const where = namespace ?? defaultNamespace;
      if (where === undefined) {
        throw source.fault(node, 'metadata must have a namespace: the type is not known, and so has no default one');
      }
      return new Metadata({ ...fields, namespace: where, type, id });
    },
  };
}

function readField(fields: Fields, name: string, source: YamlSource, value: unknown, at: YamlNode): void {
  const text = () => source.text(value, name, at);
  switch (name) {
    case 'namespace':
    case 'type':
    case 'id':
    case 'owner':
      fields[name] = text();
      break;
    case 'version':
      fields.version = parsed(source, value, at, () => parseVersion(text()));
      break;
    case 'phase':
      fields.phase = parsed(source, value, at, () => parsePhase(text()));
      break;
    case 'created':
    case 'updated':
      fields[name] = parsed(source, value, at, () => Timestamp.parse(text()));
      break;
    case 'labels':
    case 'annotations':
      fields[name] = readMap(source, source.mapping(value, name, at), name);
      break;
    case 'finalizers':
      fields.finalizers = source.list(value, name, at).items.map((item) => source.text(item, 'a finalizer', at));
      break;
  }
}

function readMap(source: YamlSource, node: YamlMapping, name: string): Record<string, string> {
  const map: Record<string, string> = {};
  for (const { key, value } of node.items) {
    const at = (key as YamlNode | null) ?? node;
    setOwn(map, source.text(key, `a key of ${name}`, node), source.text(value, `a value of ${name}`, at));
  }
  return map;
}

/** Gives errors about the text of a field the field's place. */
function parsed<T>(source: YamlSource, value: unknown, at: YamlNode, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!isCosiError(error) || 'line' in error) throw error;
    throw source.fault((value as YamlNode | null) ?? at, error.message, { cause: error });
  }
}
