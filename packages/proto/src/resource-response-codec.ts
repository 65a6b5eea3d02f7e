import { ByteReader } from './byte-reader.js';
import { merged, viewOf } from './event-codec.js';
import { resourceResponseTags } from './field-tags.js';
import { unreadable } from './malformed.js';
import { type PlacedItem, placeBytes, placedLength } from './placed-bytes.js';
import { plainBytes } from './plain-bytes.js';

/** The message that get, list, create and update answer with: the bytes of a `cosi.resource.Resource` in it as they are. */
export class ResourceResponse implements PlacedItem {
  readonly length: number;
  readonly #resource: Uint8Array;

  constructor(resource: Uint8Array) {
    this.#resource = resource;
    this.length = placedLength(resource.length);
  }

  place(target: Uint8Array, from: number): number {
    return placeBytes(target, from, resourceResponseTags.resource, this.#resource);
  }
}

/**
 * The resource in such a message, as a view of its bytes; undefined when there is none.
 *
 * @throws `corrupt` for what is no such message
 */
export function decodeResourceResponse(message: Uint8Array): Uint8Array | undefined {
  const source = plainBytes(message);
  const reader = new ByteReader(source);
  let resource: Uint8Array | undefined;
  try {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === resourceResponseTags.resource) resource = merged(resource, viewOf(source, reader));
      else reader.skip(tag, 1);
    }
  } catch (cause) {
    throw unreadable('the answer', cause);
  }
  return resource;
}
