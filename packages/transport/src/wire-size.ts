import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { wire } from '@cosi-ts/proto';

/** What tag and length of a field can take, generously. */
const fieldBytes = 12;

/**
 * An upper bound of the encoded size, for a small part of what encoding costs: most messages are far from any limit,
 * and this says so.
 */
export function resourceSizeBound(resource: wire.Resource | undefined): number {
  if (resource === undefined) return 0;
  const { metadata, spec } = resource;
  let bytes = 2 * fieldBytes;
  if (metadata !== undefined) {
    bytes += 2 * (fieldBytes + 24);
    bytes += text(metadata.namespace) + text(metadata.type) + text(metadata.id) + text(metadata.owner);
    bytes += text(metadata.version) + text(metadata.phase);
    for (const finalizer of metadata.finalizers) bytes += text(finalizer);
    bytes += entries(metadata.labels) + entries(metadata.annotations);
  }
  if (spec !== undefined) bytes += fieldBytes + spec.protoSpec.length + text(spec.yamlSpec);
  return bytes;
}

export function eventSizeBound(event: wire.Event): number {
  let bytes = 4 * fieldBytes + resourceSizeBound(event.resource) + resourceSizeBound(event.old);
  if (event.bookmark !== undefined) bytes += fieldBytes + event.bookmark.length;
  if (event.error !== undefined) bytes += text(event.error);
  return bytes;
}

/** The bound where it is below the limit, else the size itself. */
export function sizeNear<Desc extends DescMessage>(
  limit: number,
  bound: number,
  schema: Desc,
  message: MessageShape<Desc>,
): number {
  return bound < limit ? bound : toBinary(schema, message).length;
}

/** A UTF-16 unit takes at most three bytes. */
function text(value: string): number {
  return fieldBytes + 3 * value.length;
}

function entries(map: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const key of Object.keys(map)) bytes += fieldBytes + text(key) + text(map[key] as string);
  return bytes;
}
