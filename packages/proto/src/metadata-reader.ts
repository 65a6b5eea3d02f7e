import { emptyStringMap, Metadata, type Pointer, parsePhase, parseVersion, Timestamp } from '@cosi-ts/resource';
import type { ByteReader } from './byte-reader.js';
import { entryTags, lastMetadataField, metadataTags, timestampTags } from './field-tags.js';

/**
 * Reads the fields of `cosi.resource.Metadata`. A second occurrence of the message goes on where the first one ended,
 * as protobuf wants it; unknown fields are dropped.
 */
export class MetadataReader {
  #namespace = '';
  #type = '';
  #id = '';
  #version = '';
  #owner = '';
  #phase = '';
  readonly #created = new TimestampReader();
  readonly #updated = new TimestampReader();
  readonly #finalizers: string[] = [];
  #labels: Record<string, string> | undefined;
  #annotations: Record<string, string> | undefined;

  /** As far as it was read. */
  get pointer(): Pointer {
    return { namespace: this.#namespace, type: this.#type, id: this.#id };
  }

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      switch (tag) {
        case metadataTags.namespace:
          this.#namespace = reader.string();
          break;
        case metadataTags.type:
          this.#type = reader.string();
          break;
        case metadataTags.id:
          this.#id = reader.string();
          break;
        case metadataTags.version:
          this.#version = reader.string();
          break;
        case metadataTags.owner:
          this.#owner = reader.string();
          break;
        case metadataTags.phase:
          this.#phase = reader.string();
          break;
        case metadataTags.created:
          reader.message(this.#created);
          break;
        case metadataTags.updated:
          reader.message(this.#updated);
          break;
        case metadataTags.finalizer:
          this.#finalizers.push(reader.string());
          break;
        case metadataTags.label:
          this.#labels ??= emptyMap();
          reader.message(new EntryReader()).addTo(this.#labels);
          break;
        case metadataTags.annotation:
          this.#annotations ??= emptyMap();
          reader.message(new EntryReader()).addTo(this.#annotations);
          break;
        default:
          reader.skip(tag, lastMetadataField);
      }
    }
  }

  /** Throws `invalid-argument` for a version, phase or time that is none. */
  finish(): Metadata {
    return new Metadata({
      namespace: this.#namespace,
      type: this.#type,
      id: this.#id,
      version: parseVersion(this.#version),
      owner: this.#owner,
      phase: parsePhase(this.#phase),
      created: this.#created.finish(),
      updated: this.#updated.finish(),
      finalizers: this.#finalizers,
      labels: this.#labels ?? emptyStringMap,
      annotations: this.#annotations ?? emptyStringMap,
    });
  }
}

/** Without inherited keys, so that every text is a key like any other. */
function emptyMap(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

class TimestampReader {
  #seconds = 0;
  #nanos = 0;

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === timestampTags.seconds) this.#seconds = reader.int64();
      else if (tag === timestampTags.nanos) this.#nanos = reader.int32();
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

/** Reads a map entry. A part that is absent is empty; of two entries with one key the later counts. */
class EntryReader {
  #key = '';
  #value = '';

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === entryTags.key) this.#key = reader.string();
      else if (tag === entryTags.value) this.#value = reader.string();
      else reader.skip(tag, 2);
    }
  }

  addTo(map: Record<string, string>): void {
    map[this.#key] = this.#value;
  }
}
