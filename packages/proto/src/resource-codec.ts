import { keepWith, keptWith, type Metadata, type Pointer, Resource, type TypeLookup } from '@cosi-ts/resource';
import { ByteReader, MalformedError } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';
import { resourceTags, specTags } from './field-tags.js';
import { type Fault, malformed } from './malformed.js';
import { MetadataReader, type ResourceGlance } from './metadata-reader.js';
import { writeMetadata } from './metadata-writer.js';
import { plainBytes } from './plain-bytes.js';
import { keptSlabBytes, passingSlabBytes, Slabs } from './slabs.js';
import { type PrintedParts, recordParts, wireParts, wirePartsOnce } from './spec-parts.js';
import { SpecReader, WireContent } from './wire-content.js';

export interface EncodeOptions {
  /** The declarations that are known by name. Default: none. */
  readonly types?: TypeLookup | undefined;
}

export interface EncodeResourceOptions extends EncodeOptions {
  /**
   * Whether the bytes are kept with the snapshot, for as long as that lives. Bytes that are kept already are used in any
   * case. Default: true.
   */
  readonly keep?: boolean | undefined;
}

export interface DecodeOptions {
  /** The code of errors about malformed input. Default: `corrupt`. */
  readonly fault?: Fault | undefined;
  /**
   * The bytes belong to the resource from now on: the spec is not copied. With them it keeps the buffer that they lie in,
   * which others can lie in too. Default: false.
   */
  readonly owned?: boolean | undefined;
  /**
   * What the id is likely to be: it takes less time then, and the resource has this text for it. Default: nothing is known.
   */
  readonly likelyId?: string | undefined;
  /**
   * Reads YAML that is not UTF-8 with U+FFFD in the place of what is none, as all other text is read, rather than keep it
   * as it is: for what strangers send. Default: false.
   */
  readonly wellFormed?: boolean | undefined;
}

/** What a snapshot was encoded to last, and with which declarations. */
class Encoded {
  readonly types: TypeLookup | undefined;
  readonly bytes: Uint8Array;

  constructor(types: TypeLookup | undefined, bytes: Uint8Array) {
    this.types = types;
    this.bytes = bytes;
  }
}

/**
 * The resource as a message `cosi.resource.Resource`, as it is sent: with the YAML of the spec, which comes from the
 * snapshot's own declaration, else from `types`, else from what the resource came with. A spec that the declaration
 * cannot read keeps the YAML it came with.
 *
 * A snapshot is encoded once, unless the bytes are not to be kept. They are shared: don't change them.
 *
 * @throws `invalid-argument` for metadata with lone surrogates
 */
export function encodeResource(resource: Resource, options: EncodeResourceOptions = {}): Uint8Array {
  const { types, keep = true } = options;
  const known = keptWith(resource);
  if (known instanceof Encoded && known.types === types) return known.bytes;
  if (!keep) return encode(resource.metadata, wireParts(resource, types), passingBytes);
  const bytes = encode(resource.metadata, wirePartsOnce(resource, types), keptBytes);
  keepWith(resource, new Encoded(types, bytes));
  return bytes;
}

/**
 * The resource as it is stored: without the YAML of the spec when the type is among `types`, because those can print it
 * again, and with it otherwise.
 *
 * @throws `invalid-argument` for metadata with lone surrogates
 */
export function encodeRecord(resource: Resource, options: EncodeOptions = {}): Uint8Array {
  return encode(resource.metadata, recordParts(resource, options.types), passingBytes);
}

/**
 * Reads what {@link encodeResource} and {@link encodeRecord} write. The spec stays bytes until a declaration reads it.
 * Nothing of the input is kept, unless the resource is given it.
 *
 * Versions and phases must be what this system writes; of names and labels anything is taken, because resources of
 * peers must pass. Unknown fields of the metadata are dropped. All other damage that can be told is an error, which
 * names the resource as far as it was read.
 */
export function decodeResource(bytes: Uint8Array, options: DecodeOptions = {}): Resource {
  metadataReader.begin(options.likelyId);
  specReader.begin();
  try {
    const source = plainBytes(bytes);
    readResource(byteReader.begin(source));
    const metadata = metadataReader.finish();
    const place = options.owned === true ? specReader.kept(source) : specReader.copied(source, options.wellFormed);
    return new Resource(metadata, new WireContent(metadata, place));
  } catch (cause) {
    throw malformed(options.fault ?? 'corrupt', cause, metadataReader.pointer);
  }
}

/**
 * Looks whether {@link decodeResource} would give the resource with that pointer, without making it. Undefined when it
 * would not: decoding tells why.
 */
export function glanceResource(bytes: Uint8Array, pointer: Pointer): ResourceGlance | undefined {
  metadataReader.begin(pointer.id);
  specReader.begin();
  try {
    readResource(byteReader.begin(plainBytes(bytes)));
    return metadataReader.glance(pointer);
  } catch {
    // Decoding will say it better.
    return undefined;
  }
}

/** One of each for all resources: neither reading nor writing ever waits. */
const byteReader = new ByteReader(new Uint8Array(0));
const metadataReader = new MetadataReader();
const specReader = new SpecReader();
const writer = new ByteWriter();

/** What is kept with snapshots lies apart from records, which are let go of soon. */
const keptBytes = new Slabs(keptSlabBytes);
const passingBytes = new Slabs(passingSlabBytes);

function encode(metadata: Metadata, { protoSpec, yamlSpec }: PrintedParts, slabs: Slabs): Uint8Array {
  try {
    const metadataBegin = writer.uint32(resourceTags.metadata).begin();
    writeMetadata(writer, metadata);
    writer.end(metadataBegin);
    const specBegin = writer.uint32(resourceTags.spec).begin();
    if (protoSpec.length > 0) writer.uint32(specTags.protoSpec).bytes(protoSpec);
    if (yamlSpec.length > 0) {
      writer.uint32(specTags.yamlSpec);
      if (typeof yamlSpec === 'string') writer.string(yamlSpec);
      else writer.bytes(yamlSpec);
    }
    writer.end(specBegin);
    return writer.finish(slabs);
  } catch (error) {
    // It holds half a resource.
    writer.clear();
    throw error;
  }
}

function readResource(reader: ByteReader): void {
  let hasMetadata = false;
  let hasSpec = false;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === resourceTags.metadata) {
      reader.message(metadataReader);
      hasMetadata = true;
    } else if (tag === resourceTags.spec) {
      reader.message(specReader);
      hasSpec = true;
    } else reader.skip(tag, 2);
  }
  if (!hasMetadata) throw new MalformedError('metadata is missing');
  if (!hasSpec) throw new MalformedError('spec is missing');
}
