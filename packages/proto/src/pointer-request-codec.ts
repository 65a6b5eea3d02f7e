import type { Pointer } from '@cosi-ts/resource';
import { ByteReader } from './byte-reader.js';
import { pointerRequestTags, writeOptionsTags } from './field-tags.js';
import { unreadable } from './malformed.js';
import { placedLength, placeHead } from './placed-bytes.js';
import { PlacedText } from './placed-text.js';
import { plainBytes } from './plain-bytes.js';

/**
 * The request for one resource: of get, destroy, teardown and teardownAndDestroy, which are all the same but for the
 * owner, which get has none of.
 */
export function encodePointerRequest(pointer: Pointer, ownerText = ''): Uint8Array {
  const namespace = new PlacedText(pointerRequestTags.namespace, pointer.namespace);
  const type = new PlacedText(pointerRequestTags.type, pointer.type);
  const id = new PlacedText(pointerRequestTags.id, pointer.id);
  const owner = new PlacedText(writeOptionsTags.owner, ownerText);
  const bytes = new Uint8Array(namespace.length + type.length + id.length + placedLength(owner.length));
  let at = id.place(bytes, type.place(bytes, namespace.place(bytes, 0)));
  at = placeHead(bytes, at, pointerRequestTags.options, owner.length);
  owner.place(bytes, at);
  return bytes;
}

/**
 * What a request to get is about. Its options hold nothing, and are stepped over.
 *
 * @throws `invalid-argument` for what is no such message
 */
export function decodeGetRequest(message: Uint8Array): Pointer {
  const pointer = { namespace: '', type: '', id: '' };
  const reader = new ByteReader(plainBytes(message));
  try {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === pointerRequestTags.namespace) pointer.namespace = reader.string();
      else if (tag === pointerRequestTags.type) pointer.type = reader.string();
      else if (tag === pointerRequestTags.id) pointer.id = reader.string();
      else if (tag === pointerRequestTags.options) reader.bytes();
      else reader.skip(tag, 4);
    }
  } catch (cause) {
    throw unreadable('the request', cause, 'invalid-argument');
  }
  return pointer;
}
