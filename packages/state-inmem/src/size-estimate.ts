import { DeclaredContent, type Metadata, type SpecContent, type StringMap } from '@cosi-ts/resource';

/** About what a snapshot costs beside the texts in it. */
const snapshotBytes = 256;
const entryBytes = 16;
/** A spec that nothing is known about. */
const unknownSpecBytes = 256;
/** Specs are bounded elsewhere; this only keeps an estimate from following a very deep one. */
const maxDepth = 64;

/** About the memory that metadata holds on to. A few additions: nothing is encoded or copied. */
export function metadataSize(metadata: Metadata): number {
  let size = snapshotBytes + metadata.id.length + metadata.owner.length;
  for (const name of metadata.finalizers) size += entryBytes + name.length;
  return size + mapSize(metadata.labels) + mapSize(metadata.annotations);
}

function mapSize(map: StringMap): number {
  let size = 0;
  for (const key in map) size += entryBytes + key.length + (map[key] as string).length;
  return size;
}

/** About the memory that a spec holds on to: the size of its bytes where it has any, else from a walk through its value. */
export function specSize(content: SpecContent): number {
  if (content.encodedBytes !== undefined) return content.encodedBytes;
  return content instanceof DeclaredContent ? valueSize(content.value, maxDepth) : unknownSpecBytes;
}

function valueSize(value: unknown, depth: number): number {
  switch (typeof value) {
    case 'string':
      return entryBytes + value.length;
    case 'bigint':
      return entryBytes;
    case 'object':
      return value === null ? 8 : objectSize(value, depth);
    default:
      return 8;
  }
}

function objectSize(value: object, depth: number): number {
  if (ArrayBuffer.isView(value)) return 64 + value.byteLength;
  if (depth === 0) return unknownSpecBytes;
  let size = 24;
  if (Array.isArray(value)) {
    for (const item of value) size += 8 + valueSize(item, depth - 1);
    return size;
  }
  for (const key in value) size += 8 + valueSize((value as Record<string, unknown>)[key], depth - 1);
  return size;
}
