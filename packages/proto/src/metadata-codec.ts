import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  formatVersion,
  Metadata,
  type Pointer,
  parsePhase,
  parseVersion,
  type StringMap,
  sortedKeys,
  Timestamp,
} from '@cosi-ts/resource';
import { type ByteReader, tagOf } from './byte-reader.js';
import { checkWellFormed } from './well-formed.js';

const lastField = 11;

/**
 * Writes the fields of `cosi.resource.Metadata`: those that have a zero value are left out, but for the times; maps are
 * sorted by key, so that equal metadata gives equal bytes.
 *
 * @throws `invalid-argument` for text with lone surrogates
 */
export function writeMetadata(writer: BinaryWriter, metadata: Metadata): void {
  checkMetadataText(metadata);
  writeText(writer, 1, metadata.namespace);
  writeText(writer, 2, metadata.type);
  writeText(writer, 3, metadata.id);
  writeText(writer, 4, formatVersion(metadata.version));
  writeText(writer, 5, metadata.owner);
  writeText(writer, 6, metadata.phase);
  writeTimestamp(writer, 7, metadata.created);
  writeTimestamp(writer, 8, metadata.updated);
  for (const finalizer of metadata.finalizers) writer.uint32(tagOf(9)).string(finalizer);
  writeMap(writer, 10, metadata.labels);
  writeMap(writer, 11, metadata.annotations);
}

function writeText(writer: BinaryWriter, field: number, text: string): void {
  if (text !== '') writer.uint32(tagOf(field)).string(text);
}

function writeTimestamp(writer: BinaryWriter, field: number, time: Timestamp): void {
  writer.uint32(tagOf(field)).fork();
  if (time.seconds !== 0) writer.uint32(tagOf(1, WireType.Varint)).int64(time.seconds);
  if (time.nanos !== 0) writer.uint32(tagOf(2, WireType.Varint)).int32(time.nanos);
  writer.join();
}

function writeMap(writer: BinaryWriter, field: number, map: StringMap): void {
  for (const key of sortedKeys(map)) {
    writer.uint32(tagOf(field)).fork();
    writer.uint32(tagOf(1)).string(key);
    writer.uint32(tagOf(2)).string(map[key] as string);
    writer.join();
  }
}

/** Refuses text with lone surrogates, which has no UTF-8 form: other text than was meant would arrive. */
export function checkMetadataText(metadata: Metadata): void {
  const { namespace, type, id, owner, finalizers, labels, annotations } = metadata;
  const subject = { namespace, type, id };
  checkWellFormed(namespace, 'namespace', subject);
  checkWellFormed(type, 'type', subject);
  checkWellFormed(id, 'id', subject);
  checkWellFormed(owner, 'owner', subject);
  for (const finalizer of finalizers) checkWellFormed(finalizer, 'finalizer', subject);
  checkMap(labels, 'label', subject);
  checkMap(annotations, 'annotation', subject);
}

function checkMap(map: StringMap, what: string, subject: Pointer): void {
  for (const key of Object.keys(map)) {
    checkWellFormed(key, what, subject);
    checkWellFormed(map[key] as string, what, subject);
  }
}

/** The parts of metadata that were read, for messages about the others. */
export interface PartialPointer {
  namespace: string;
  type: string;
  id: string;
}

/**
 * Reads the fields of `cosi.resource.Metadata`. A second occurrence of the message goes on where the first one ended,
 * as protobuf wants it; unknown fields are dropped.
 */
export class MetadataReader {
  readonly pointer: PartialPointer = { namespace: '', type: '', id: '' };
  #version = '';
  #owner = '';
  #phase = '';
  readonly #created = new TimestampReader();
  readonly #updated = new TimestampReader();
  readonly #finalizers: string[] = [];
  #labels: Record<string, string> | undefined;
  #annotations: Record<string, string> | undefined;

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      switch (tag) {
        case tagOf(1):
          this.pointer.namespace = reader.string();
          break;
        case tagOf(2):
          this.pointer.type = reader.string();
          break;
        case tagOf(3):
          this.pointer.id = reader.string();
          break;
        case tagOf(4):
          this.#version = reader.string();
          break;
        case tagOf(5):
          this.#owner = reader.string();
          break;
        case tagOf(6):
          this.#phase = reader.string();
          break;
        case tagOf(7):
          reader.message((inner) => this.#created.read(inner));
          break;
        case tagOf(8):
          reader.message((inner) => this.#updated.read(inner));
          break;
        case tagOf(9):
          this.#finalizers.push(reader.string());
          break;
        case tagOf(10):
          this.#labels ??= Object.create(null) as Record<string, string>;
          readEntry(reader, this.#labels);
          break;
        case tagOf(11):
          this.#annotations ??= Object.create(null) as Record<string, string>;
          readEntry(reader, this.#annotations);
          break;
        default:
          reader.skip(tag, lastField);
      }
    }
  }

  /** Throws `invalid-argument` for a version, phase or time that is none. */
  finish(): Metadata {
    return new Metadata({
      ...this.pointer,
      version: parseVersion(this.#version),
      owner: this.#owner,
      phase: parsePhase(this.#phase),
      created: this.#created.finish(),
      updated: this.#updated.finish(),
      finalizers: this.#finalizers,
      ...(this.#labels && { labels: this.#labels }),
      ...(this.#annotations && { annotations: this.#annotations }),
    });
  }
}

class TimestampReader {
  #seconds = 0;
  #nanos = 0;

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === tagOf(1, WireType.Varint)) this.#seconds = reader.int64();
      else if (tag === tagOf(2, WireType.Varint)) this.#nanos = reader.int32();
      else reader.skip(tag, 2);
    }
  }

  finish(): Timestamp {
    return timestampOf(this.#seconds, this.#nanos);
  }
}

/** A time whose nanoseconds may be negative or more than a second, as peers write them without a check. */
export function timestampOf(seconds: number, nanos: number): Timestamp {
  if (seconds === 0 && nanos === 0) return Timestamp.epoch;
  const carry = Math.floor(nanos / 1_000_000_000);
  return new Timestamp(seconds + carry, nanos - carry * 1_000_000_000);
}

/** Reads a map entry. Of two entries with one key the later counts; a part that is absent is empty. */
function readEntry(reader: ByteReader, map: Record<string, string>): void {
  reader.message((inner) => {
    let key = '';
    let value = '';
    for (let tag = inner.tag(); tag !== 0; tag = inner.tag()) {
      if (tag === tagOf(1)) key = inner.string();
      else if (tag === tagOf(2)) value = inner.string();
      else inner.skip(tag, 2);
    }
    map[key] = value;
  });
}
