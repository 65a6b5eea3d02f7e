import { finalizers, Metadata, type Pointer, parsePhase, parseVersion, Timestamp } from '@cosi-ts/resource';
import type { ByteReader } from './byte-reader.js';
import { entryTags, lastMetadataField, metadataTags, timestampTags } from './field-tags.js';
import { sharedMap } from './shared-maps.js';

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
  #createdSeconds = 0;
  #createdNanos = 0;
  #updatedSeconds = 0;
  #updatedNanos = 0;
  #finalizers: string[] = noTexts;
  /** Keys and values in turn. */
  #labels: string[] = noTexts;
  #annotations: string[] = noTexts;

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
          this.#id = reader.ownString();
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
          reader.message(time.begin(this.#createdSeconds, this.#createdNanos));
          this.#createdSeconds = time.seconds;
          this.#createdNanos = time.nanos;
          break;
        case metadataTags.updated:
          reader.message(time.begin(this.#updatedSeconds, this.#updatedNanos));
          this.#updatedSeconds = time.seconds;
          this.#updatedNanos = time.nanos;
          break;
        case metadataTags.finalizer:
          if (this.#finalizers === noTexts) this.#finalizers = [];
          this.#finalizers.push(reader.string());
          break;
        case metadataTags.label:
          if (this.#labels === noTexts) this.#labels = [];
          reader.message(entry.begin()).addTo(this.#labels);
          break;
        case metadataTags.annotation:
          if (this.#annotations === noTexts) this.#annotations = [];
          reader.message(entry.begin()).addTo(this.#annotations);
          break;
        default:
          reader.skip(tag, lastMetadataField);
      }
    }
  }

  /** Throws `invalid-argument` for a version, phase or time that is none. */
  finish(): Metadata {
    const created = timestampOf(this.#createdSeconds, this.#createdNanos);
    const same = this.#createdSeconds === this.#updatedSeconds && this.#createdNanos === this.#updatedNanos;
    return new Metadata({
      namespace: this.#namespace,
      type: this.#type,
      id: this.#id,
      version: parseVersion(this.#version),
      owner: this.#owner,
      phase: parsePhase(this.#phase),
      created,
      // Of a resource that was never updated they are the same.
      updated: same ? created : timestampOf(this.#updatedSeconds, this.#updatedNanos),
      finalizers: this.#finalizers === noTexts ? noFinalizers : this.#finalizers,
      labels: sharedMap(this.#labels),
      annotations: sharedMap(this.#annotations),
    });
  }
}

const noTexts: string[] = [];
const noFinalizers = finalizers(undefined);

class TimestampReader {
  seconds = 0;
  nanos = 0;

  /** Goes on with what was read before. */
  begin(seconds: number, nanos: number): this {
    this.seconds = seconds;
    this.nanos = nanos;
    return this;
  }

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === timestampTags.seconds) this.seconds = reader.int64();
      else if (tag === timestampTags.nanos) this.nanos = reader.int32();
      else reader.skip(tag, 2);
    }
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

  begin(): this {
    this.#key = '';
    this.#value = '';
    return this;
  }

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === entryTags.key) this.#key = reader.string();
      else if (tag === entryTags.value) this.#value = reader.string();
      else reader.skip(tag, 2);
    }
  }

  addTo(texts: string[]): void {
    texts.push(this.#key, this.#value);
  }
}

/** One of each for all metadata, because reading never waits. */
const time = new TimestampReader();
const entry = new EntryReader();
