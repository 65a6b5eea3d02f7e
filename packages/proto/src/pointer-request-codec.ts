import type { Pointer } from '@cosi-ts/resource';
import { pointerRequestTags, writeOptionsTags } from './field-tags.js';
import { placedLength, placeHead } from './placed-bytes.js';
import { PlacedText } from './placed-text.js';

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
