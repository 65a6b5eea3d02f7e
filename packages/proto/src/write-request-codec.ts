import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { ByteReader, type MessageReader } from './byte-reader.js';
import { merged, viewOf } from './event-codec.js';
import { createRequestTags, updateRequestTags, writeOptionsTags } from './field-tags.js';
import { unreadable } from './malformed.js';
import { placeBytes, placedLength, placeHead } from './placed-bytes.js';
import { plainBytes } from './plain-bytes.js';

/** `cosi.resource.CreateRequest`, with the resource in it as bytes of `cosi.resource.Resource`. */
export interface EncodedCreate {
  readonly resource: Uint8Array | undefined;
  readonly owner: string;
}

/** `cosi.resource.UpdateRequest`, likewise. */
export interface EncodedUpdate extends EncodedCreate {
  /** Absent: whatever the phase is. */
  readonly expectedPhase: string | undefined;
}

export function encodeCreateRequest({ resource, owner }: EncodedCreate): Uint8Array {
  return encode(createRequestTags.resource, createRequestTags.options, resource, owner, undefined);
}

/** The options are there in any case: some servers read them without looking whether they are. */
export function encodeUpdateRequest({ resource, owner, expectedPhase }: EncodedUpdate): Uint8Array {
  return encode(updateRequestTags.newResource, updateRequestTags.options, resource, owner, expectedPhase);
}

/** @throws `invalid-argument` for what is no such message. What is bytes in the result is a view into it. */
export function decodeCreateRequest(message: Uint8Array): EncodedCreate {
  return read(message, createRequestTags.resource, createRequestTags.options, 0);
}

/** @throws `invalid-argument` for what is no such message. What is bytes in the result is a view into it. */
export function decodeUpdateRequest(message: Uint8Array): EncodedUpdate {
  return read(message, updateRequestTags.newResource, updateRequestTags.options, 1);
}

function encode(
  resourceTag: number,
  optionsTag: number,
  resource: Uint8Array | undefined,
  ownerText: string,
  expectedPhase: string | undefined,
): Uint8Array {
  const { encodeUtf8 } = getTextEncoding();
  const owner = ownerText === '' ? undefined : encodeUtf8(ownerText);
  const phase = expectedPhase === undefined ? undefined : encodeUtf8(expectedPhase);
  const optionsLength = lengthOf(owner) + lengthOf(phase);
  const bytes = new Uint8Array(lengthOf(resource) + placedLength(optionsLength));
  let at = resource === undefined ? 0 : placeBytes(bytes, 0, resourceTag, resource);
  at = placeHead(bytes, at, optionsTag, optionsLength);
  if (owner !== undefined) at = placeBytes(bytes, at, writeOptionsTags.owner, owner);
  if (phase !== undefined) placeBytes(bytes, at, writeOptionsTags.expectedPhase, phase);
  return bytes;
}

function lengthOf(bytes: Uint8Array | undefined): number {
  return bytes === undefined ? 0 : placedLength(bytes.length);
}

function read(message: Uint8Array, resourceTag: number, optionsTag: number, reserved: number): EncodedUpdate {
  const source = plainBytes(message);
  const request = new WriteRequestReader(source, resourceTag, optionsTag, reserved);
  try {
    request.read(new ByteReader(source));
  } catch (cause) {
    throw unreadable('the request', cause, 'invalid-argument');
  }
  return request;
}

class WriteRequestReader implements EncodedUpdate, MessageReader {
  resource: Uint8Array | undefined = undefined;
  readonly #source: Uint8Array;
  readonly #options = new WriteOptionsReader();
  readonly #resourceTag: number;
  readonly #optionsTag: number;
  /** Of a field that was used once, and is stepped over whatever it is. */
  readonly #reserved: number;

  constructor(source: Uint8Array, resourceTag: number, optionsTag: number, reserved: number) {
    this.#source = source;
    this.#resourceTag = resourceTag;
    this.#optionsTag = optionsTag;
    this.#reserved = reserved;
  }

  get owner(): string {
    return this.#options.owner;
  }

  get expectedPhase(): string | undefined {
    return this.#options.expectedPhase;
  }

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === this.#resourceTag) this.resource = merged(this.resource, viewOf(this.#source, reader));
      else if (tag === this.#optionsTag) reader.message(this.#options);
      else reader.skip(tag, tag >>> 3 === this.#reserved ? 0 : this.#optionsTag >>> 3);
    }
  }
}

class WriteOptionsReader implements MessageReader {
  owner = '';
  expectedPhase: string | undefined = undefined;

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === writeOptionsTags.owner) this.owner = reader.string();
      else if (tag === writeOptionsTags.expectedPhase) this.expectedPhase = reader.string();
      else reader.skip(tag, 1);
    }
  }
}
