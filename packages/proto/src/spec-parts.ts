import { getTextEncoding } from '@bufbuild/protobuf/wire';
import {
  type AnyResourceType,
  isTombstone,
  type Resource,
  type SpecContent,
  type TypedResource,
} from '@cosi-ts/resource';
import { encodeSpecBytes } from './spec-bytes.js';
import { specYaml } from './spec-yaml.js';
import { isWireContent, noParts, type SpecParts } from './wire-content.js';

/** Finds declarations by the name of the type: a registry, or a `Map`. */
export interface TypeLookup {
  get(type: string): AnyResourceType | undefined;
}

/** Kept with the content, which all snapshots of a resource share until the spec changes: each is made once. */
const protoSpecs = new WeakMap<SpecContent, Uint8Array>();
const yamlSpecs = new WeakMap<SpecContent, { readonly declaration: AnyResourceType; readonly yaml: Uint8Array }>();

/** The spec as it is sent: for reading only. The YAML is from the declaration of the snapshot or of the lookup, or as kept. */
export function wireParts(resource: Resource, types: TypeLookup | undefined): SpecParts {
  if (isTombstone(resource)) return noParts;
  return { protoSpec: protoSpec(resource.content), yamlSpec: yamlSpec(resource, types) };
}

/** The spec as it is stored: without YAML for the types of the lookup, which can print it again. For reading only. */
export function recordParts(resource: Resource, types: TypeLookup | undefined): SpecParts {
  if (types?.get(resource.metadata.type) === undefined) return wireParts(resource, undefined);
  if (isTombstone(resource)) return noParts;
  return { protoSpec: protoSpec(resource.content), yamlSpec: noParts.yamlSpec };
}

function protoSpec(content: SpecContent): Uint8Array {
  if (isWireContent(content)) return content.parts().protoSpec;
  let bytes = protoSpecs.get(content);
  if (bytes === undefined) {
    const { declaration } = content;
    if (declaration === undefined) throw new TypeError('the spec has neither bytes nor a declaration to make them');
    bytes = encodeSpecBytes(declaration, content.valueFor(declaration));
    protoSpecs.set(content, bytes);
  }
  return bytes;
}

function yamlSpec(resource: Resource, types: TypeLookup | undefined): Uint8Array {
  const { content } = resource;
  const declaration: AnyResourceType | undefined =
    content.declaration ??
    (resource as Partial<TypedResource<unknown>>).declaration ??
    types?.get(resource.metadata.type);
  const kept = isWireContent(content) ? content.parts().yamlSpec : noParts.yamlSpec;
  if (declaration === undefined) return kept;
  const known = yamlSpecs.get(content);
  if (known?.declaration === declaration) return known.yaml;
  const yaml = printed(content, declaration) ?? kept;
  yamlSpecs.set(content, { declaration, yaml });
  return yaml;
}

/** Nothing when the spec is not one of the type. It is passed on all the same, and whoever reads it will be told. */
function printed(content: SpecContent, declaration: AnyResourceType): Uint8Array | undefined {
  let value: unknown;
  try {
    value = content.valueFor(declaration);
  } catch (error) {
    if (isWireContent(content)) return undefined;
    throw error;
  }
  return getTextEncoding().encodeUtf8(specYaml(declaration.codec.toJson(value)));
}
