import {
  emptyStringMap,
  finalizers,
  Metadata,
  type MetadataInit,
  type Pointer,
  parsePhase,
  parseVersion,
  Timestamp,
  type Version,
} from '@cosi-ts/resource';
import type { ByteReader } from './byte-reader.js';
import { EntryReader } from './entry-reader.js';
import { lastMetadataField, metadataTags, timestampTags } from './field-tags.js';

const noFinalizers = finalizers(undefined);

/** What can be seen of a resource without making it. */
export interface ResourceGlance {
  readonly version: Version;
  /** The later one of the two times. */
  readonly newest: Timestamp;
}

/**
 * Reads the fields of `cosi.resource.Metadata`. A second occurrence of the message goes on where the first one ended,
 * as protobuf wants it; unknown fields are dropped. One reader serves for any number, one after the other: to make one
 * for each takes as long as reading.
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
  readonly #finalizers: string[] = [];
  readonly #labels = new EntryReader(metadataTags.label);
  readonly #annotations = new EntryReader(metadataTags.annotation);
  // What the texts are likely to be: that of the last metadata, or what the caller says.
  #likelyNamespace = '';
  #likelyType = '';
  #likelyId: string | undefined;
  #likelyVersion = '1';
  #likelyOwner = '';
  /** Used again: metadata takes what it needs from it. */
  readonly #init: { -readonly [Field in keyof MetadataInit]-?: MetadataInit[Field] } = {
    namespace: '',
    type: '',
    id: '',
    version: undefined,
    owner: '',
    phase: 'running',
    created: Timestamp.epoch,
    updated: Timestamp.epoch,
    finalizers: noFinalizers,
    labels: emptyStringMap,
    annotations: emptyStringMap,
  };

  /**
   * Forgets what was read.
   *
   * @param likelyId takes less time, and is used as it is, when it is the id
   */
  begin(likelyId?: string): this {
    this.#likelyId = likelyId;
    this.#namespace = this.#type = this.#id = this.#version = this.#owner = this.#phase = '';
    this.#createdSeconds = this.#createdNanos = this.#updatedSeconds = this.#updatedNanos = 0;
    if (this.#finalizers.length > 0) this.#finalizers.length = 0;
    this.#labels.clear();
    this.#annotations.clear();
    return this;
  }

  /** As far as it was read. */
  get pointer(): Pointer {
    return { namespace: this.#namespace, type: this.#type, id: this.#id };
  }

  /**
   * Whether it is about that resource, and {@link finish} makes metadata of it. What {@link finish} throws, this throws.
   * Gives the version and the later time.
   */
  glance(pointer: Pointer): ResourceGlance | undefined {
    if (this.#id !== pointer.id || this.#type !== pointer.type || this.#namespace !== pointer.namespace)
      return undefined;
    parsePhase(this.#phase);
    // They are kept in mind for the time when they are asked for.
    this.#labels.map();
    this.#annotations.map();
    const version = parseVersion(this.#version);
    const created = timestampOf(this.#createdSeconds, this.#createdNanos);
    if (this.#createdSeconds === this.#updatedSeconds && this.#createdNanos === this.#updatedNanos) {
      return { version, newest: created };
    }
    const updated = timestampOf(this.#updatedSeconds, this.#updatedNanos);
    return { version, newest: updated.compare(created) > 0 ? updated : created };
  }

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      switch (tag) {
        case metadataTags.namespace:
          this.#namespace = this.#likelyNamespace = reader.likelyString(this.#likelyNamespace);
          break;
        case metadataTags.type:
          this.#type = this.#likelyType = reader.likelyString(this.#likelyType);
          break;
        case metadataTags.id:
          this.#id = this.#likelyId === undefined ? reader.ownString() : reader.likelyString(this.#likelyId);
          break;
        case metadataTags.version:
          this.#version = this.#likelyVersion = reader.likelyString(this.#likelyVersion);
          break;
        case metadataTags.owner:
          this.#owner = this.#likelyOwner = reader.likelyString(this.#likelyOwner);
          break;
        case metadataTags.phase:
          this.#phase = reader.likelyString('running');
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
          this.#finalizers.push(reader.string());
          break;
        case metadataTags.label:
          this.#labels.read(reader);
          break;
        case metadataTags.annotation:
          this.#annotations.read(reader);
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
    const init = this.#init;
    init.namespace = this.#namespace;
    init.type = this.#type;
    init.id = this.#id;
    init.version = parseVersion(this.#version);
    init.owner = this.#owner;
    init.phase = parsePhase(this.#phase);
    init.created = created;
    // Of a resource that was never updated they are the same.
    init.updated = same ? created : timestampOf(this.#updatedSeconds, this.#updatedNanos);
    init.finalizers = this.#finalizers.length === 0 ? noFinalizers : this.#finalizers;
    init.labels = this.#labels.map();
    init.annotations = this.#annotations.map();
    return new Metadata(init);
  }
}

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

/** One for all times, because reading never waits. */
const time = new TimestampReader();
