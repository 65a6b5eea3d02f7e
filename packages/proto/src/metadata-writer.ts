import {
  formatVersion,
  type Metadata,
  type Pointer,
  type StringMap,
  sortedKeys,
  type Timestamp,
} from '@cosi-ts/resource';
import type { ByteWriter } from './byte-writer.js';
import { entryTags, metadataTags, timestampTags } from './field-tags.js';
import { checkWellFormed } from './well-formed.js';

/**
 * Writes the fields of `cosi.resource.Metadata`: those that have a zero value are left out, but for the times; maps are
 * sorted by key, so that equal metadata gives equal bytes.
 *
 * @throws `invalid-argument` for text with lone surrogates
 */
export function writeMetadata(writer: ByteWriter, metadata: Metadata): void {
  writeText(writer, metadataTags.namespace, metadata.namespace);
  writeText(writer, metadataTags.type, metadata.type);
  writeText(writer, metadataTags.id, metadata.id);
  writeText(writer, metadataTags.version, formatVersion(metadata.version));
  writeText(writer, metadataTags.owner, metadata.owner);
  writeText(writer, metadataTags.phase, metadata.phase);
  writeTimestamp(writer, metadataTags.created, metadata.created);
  writeTimestamp(writer, metadataTags.updated, metadata.updated);
  for (const finalizer of metadata.finalizers) writer.uint32(metadataTags.finalizer).string(finalizer);
  writeMap(writer, metadataTags.label, metadata.labels);
  writeMap(writer, metadataTags.annotation, metadata.annotations);
  if (!writer.plain) checkMetadataText(metadata);
}

function writeText(writer: ByteWriter, tag: number, text: string): void {
  if (text !== '') writer.uint32(tag).string(text);
}

function writeTimestamp(writer: ByteWriter, tag: number, time: Timestamp): void {
  const begin = writer.uint32(tag).begin();
  if (time.seconds !== 0) writer.uint32(timestampTags.seconds).int64(time.seconds);
  if (time.nanos !== 0) writer.uint32(timestampTags.nanos).uint32(time.nanos);
  writer.end(begin);
}

function writeMap(writer: ByteWriter, tag: number, map: StringMap): void {
  for (const key of sortedKeys(map)) {
    const begin = writer.uint32(tag).begin();
    writer.uint32(entryTags.key).string(key);
    writer.uint32(entryTags.value).string(map[key] as string);
    writer.end(begin);
  }
}

/** Refuses metadata with lone surrogates anywhere. */
export function checkMetadataText(metadata: Metadata): void {
  checkWellFormed(metadata.namespace, 'namespace', metadata);
  checkWellFormed(metadata.type, 'type', metadata);
  checkWellFormed(metadata.id, 'id', metadata);
  checkWellFormed(metadata.owner, 'owner', metadata);
  for (const finalizer of metadata.finalizers) checkWellFormed(finalizer, 'finalizer', metadata);
  checkMap(metadata.labels, 'label', metadata);
  checkMap(metadata.annotations, 'annotation', metadata);
}

function checkMap(map: StringMap, what: string, subject: Pointer): void {
  for (const key of Object.keys(map)) {
    checkWellFormed(key, what, subject);
    checkWellFormed(map[key] as string, what, subject);
  }
}
