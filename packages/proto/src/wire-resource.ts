import { create } from '@bufbuild/protobuf';
import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { TimestampSchema, type Timestamp as WireTimestamp } from '@bufbuild/protobuf/wkt';
import {
  formatVersion,
  Metadata,
  parsePhase,
  parseVersion,
  Resource,
  type StringMap,
  sortedKeys,
  Timestamp,
  tombstone,
} from '@cosi-ts/resource';
import { MalformedError } from './byte-reader.js';
import {
  MetadataSchema,
  ResourceSchema,
  type Metadata as WireMetadata,
  type Resource as WireResource,
} from './gen/cosi/resource/resource_pb.js';
import { malformed } from './malformed.js';
import { timestampOf } from './metadata-reader.js';
import { checkMetadataText } from './metadata-writer.js';
import type { DecodeOptions, EncodeOptions } from './resource-codec.js';
import { wireParts } from './spec-parts.js';
import { copyOf, WireContent } from './wire-content.js';

/** The message that {@link encodeResource} gives the bytes of. Made anew at every call; the caller's to change. */
export function toWireResource(resource: Resource, options: EncodeOptions = {}): WireResource {
  const { protoSpec, yamlSpec } = wireParts(resource, options.types);
  return create(ResourceSchema, {
    metadata: toWireMetadata(resource.metadata),
    spec: { protoSpec: protoSpec.slice(), yamlSpec: getTextEncoding().decodeUtf8(yamlSpec) },
  });
}

/** @throws `invalid-argument` for text with lone surrogates */
export function toWireMetadata(metadata: Metadata): WireMetadata {
  checkMetadataText(metadata);
  return create(MetadataSchema, {
    namespace: metadata.namespace,
    type: metadata.type,
    id: metadata.id,
    version: formatVersion(metadata.version),
    owner: metadata.owner,
    phase: metadata.phase,
    created: toWireTimestamp(metadata.created),
    updated: toWireTimestamp(metadata.updated),
    finalizers: [...metadata.finalizers],
    labels: toWireMap(metadata.labels),
    annotations: toWireMap(metadata.annotations),
  });
}

function toWireTimestamp(time: Timestamp): WireTimestamp {
  return create(TimestampSchema, { seconds: BigInt(time.seconds), nanos: time.nanos });
}

function toWireMap(map: StringMap): Record<string, string> {
  const copy = Object.create(null) as Record<string, string>;
  for (const key of sortedKeys(map)) copy[key] = map[key] as string;
  return copy;
}

/** As {@link decodeResource}, from a message that was decoded already. Nothing of the message is kept. */
export function fromWireResource(message: WireResource, options: DecodeOptions = {}): Resource {
  try {
    const { metadata, spec } = message;
    if (metadata === undefined) throw new MalformedError('metadata is missing');
    if (spec === undefined) throw new MalformedError('spec is missing');
    const yamlSpec = getTextEncoding().encodeUtf8(spec.yamlSpec);
    const read = readMetadata(metadata);
    return new Resource(read, new WireContent(read, copyOf({ protoSpec: spec.protoSpec, yamlSpec })));
  } catch (cause) {
    throw malformed(options.fault ?? 'corrupt', cause, message.metadata);
  }
}

/** The resource of an event that stands for none. Its spec, present and empty on the wire, is not there to be read. */
export function fromWireTombstone(message: WireResource, options: DecodeOptions = {}): Resource {
  const { metadata } = fromWireResource(message, options);
  return tombstone(metadata, metadata.created, metadata.version);
}

export function fromWireMetadata(message: WireMetadata, options: DecodeOptions = {}): Metadata {
  try {
    return readMetadata(message);
  } catch (cause) {
    throw malformed(options.fault ?? 'corrupt', cause, message);
  }
}

function readMetadata(message: WireMetadata): Metadata {
  return new Metadata({
    namespace: message.namespace,
    type: message.type,
    id: message.id,
    version: parseVersion(message.version),
    owner: message.owner,
    phase: parsePhase(message.phase),
    created: fromWireTimestamp(message.created),
    updated: fromWireTimestamp(message.updated),
    finalizers: message.finalizers,
    labels: message.labels,
    annotations: message.annotations,
  });
}

function fromWireTimestamp(message: WireTimestamp | undefined): Timestamp {
  return message === undefined ? Timestamp.epoch : timestampOf(Number(message.seconds), message.nanos);
}
