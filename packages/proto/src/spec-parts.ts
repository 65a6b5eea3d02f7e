import { getTextEncoding } from '@bufbuild/protobuf/wire';
import {
  type AnyResourceType,
  InvalidArgumentError,
  isTombstone,
  pointerText,
  type Resource,
  type SpecContent,
  specYaml,
  type TypedResource,
  type TypeLookup,
} from '@cosi-ts/resource';
import { keptSlabBytes, Slabs } from './slabs.js';
import { encodeSpecBytes } from './spec-bytes.js';
import { isWireContent, noParts, type SpecParts } from './wire-content.js';

/** What a declaration makes of a content. All snapshots of a resource share their content until the spec changes. */
interface Made {
  readonly declaration: AnyResourceType;
  readonly bytes: Uint8Array;
}

const protoSpecs = new WeakMap<SpecContent, Made>();
const yamlSpecs = new WeakMap<SpecContent, Made>();

/** Where the bytes of specs lie, which are kept for as long as those. */
const specBytes = new Slabs(keptSlabBytes);

/** The same as {@link SpecParts}, with YAML that is not yet bytes where none were kept. */
export interface PrintedParts {
  readonly protoSpec: Uint8Array;
  readonly yamlSpec: Uint8Array | string;
}

/**
 * The spec as it is sent: for reading only. The YAML is from the declaration of the snapshot or of the lookup, or as it
 * was kept.
 */
export function wireParts(resource: Resource, types: TypeLookup | undefined): SpecParts {
  if (isTombstone(resource)) return noParts;
  const declaration = declarationOf(resource, types);
  const yaml = declaration === undefined ? undefined : rememberedYaml(resource.content, declaration);
  return { protoSpec: protoSpec(resource, declaration), yamlSpec: yaml ?? keptYaml(resource.content) };
}

/** The same for who keeps what is made of it: YAML that would be printed now is not remembered beside that. */
export function wirePartsOnce(resource: Resource, types: TypeLookup | undefined): PrintedParts {
  if (isTombstone(resource)) return noParts;
  const { content } = resource;
  const declaration = declarationOf(resource, types);
  const yaml = declaration === undefined ? undefined : yamlOnce(content, declaration);
  return { protoSpec: protoSpec(resource, declaration), yamlSpec: yaml ?? keptYaml(content) };
}

/** The spec as it is stored: without YAML for the types of the lookup, which can print it again. For reading only. */
export function recordParts(resource: Resource, types: TypeLookup | undefined): SpecParts {
  if (isTombstone(resource)) return noParts;
  const known = types?.get(resource.metadata.type) !== undefined;
  if (!known) return wireParts(resource, undefined);
  return { protoSpec: protoSpec(resource, declarationOf(resource, types)), yamlSpec: noParts.yamlSpec };
}

function declarationOf(resource: Resource, types: TypeLookup | undefined): AnyResourceType | undefined {
  return (
    resource.content.declaration ??
    (resource as Partial<TypedResource<unknown>>).declaration ??
    types?.get(resource.metadata.type)
  );
}

function protoSpec({ metadata, content }: Resource, declaration: AnyResourceType | undefined): Uint8Array {
  if (isWireContent(content)) return content.parts().protoSpec;
  if (declaration === undefined) {
    const { namespace, type, id } = metadata;
    throw new InvalidArgumentError(
      `resource ${pointerText(metadata)} cannot be encoded: its spec has no bytes, and its type is not known here`,
      { subject: { namespace, type, id } },
    );
  }
  const encode = () => specBytes.moved(encodeSpecBytes(declaration, content.valueFor(declaration)));
  // A weak map of many contents takes its time, and the collector's.
  if (declaration === content.declaration && content.encodedOnce !== undefined) return content.encodedOnce(encode);
  return remembered(protoSpecs, content, declaration, encode);
}

function keptYaml(content: SpecContent): Uint8Array {
  return isWireContent(content) ? content.parts().yamlSpec : getTextEncoding().encodeUtf8(content.yaml ?? '');
}

function yamlOnce(content: SpecContent, declaration: AnyResourceType): Uint8Array | string | undefined {
  const known = yamlSpecs.get(content);
  return known?.declaration === declaration ? known.bytes : printed(content, declaration);
}

function rememberedYaml(content: SpecContent, declaration: AnyResourceType): Uint8Array {
  return remembered(yamlSpecs, content, declaration, () => {
    const yaml = printed(content, declaration);
    return yaml === undefined ? keptYaml(content) : getTextEncoding().encodeUtf8(yaml);
  });
}

/** Nothing when the spec is not one of the type. It is passed on all the same, and whoever reads it will be told. */
function printed(content: SpecContent, declaration: AnyResourceType): string | undefined {
  let value: unknown;
  try {
    value = content.valueFor(declaration);
  } catch (error) {
    if (isWireContent(content)) return undefined;
    throw error;
  }
  return specYaml(declaration.codec.toJson(value));
}

function remembered(
  memory: WeakMap<SpecContent, Made>,
  content: SpecContent,
  declaration: AnyResourceType,
  make: () => Uint8Array,
): Uint8Array {
  const known = memory.get(content);
  if (known?.declaration === declaration) return known.bytes;
  const bytes = make();
  memory.set(content, { declaration, bytes });
  return bytes;
}
