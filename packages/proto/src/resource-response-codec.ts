import { ByteReader } from './byte-reader.js';
import { merged, viewOf } from './event-codec.js';
import { resourceResponseTags } from './field-tags.js';
import { unreadable } from './malformed.js';
import { placeBytes, placedLength } from './placed-bytes.js';
import { plainBytes } from './plain-bytes.js';

/** The message that get, list, create and update answer with: the bytes of a `cosi.resource.Resource` in it as they are. */
export function encodeResourceResponse(resource: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(placedLength(resource.length));
  placeBytes(bytes, 0, resourceResponseTags.resource, resource);
  return bytes;
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
