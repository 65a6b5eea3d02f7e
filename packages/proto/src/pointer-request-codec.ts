import { getTextEncoding } from '@bufbuild/protobuf/wire';
import type { Pointer } from '@cosi-ts/resource';
import { pointerRequestTags, writeOptionsTags } from './field-tags.js';
import { placeBytes, placedLength, placeHead } from './placed-bytes.js';

/**
 * The request for one resource: of get, destroy, teardown and teardownAndDestroy, which are all the same but for the
 * owner, which get has none of.
 */
export function encodePointerRequest({ namespace, type, id }: Pointer, owner = ''): Uint8Array {
  const { encodeUtf8 } = getTextEncoding();
  const parts = [encodeUtf8(namespace), encodeUtf8(type), encodeUtf8(id)] as const;
  const ownerBytes = owner === '' ? undefined : encodeUtf8(owner);
  const optionsLength = ownerBytes === undefined ? 0 : placedLength(ownerBytes.length);
  let length = placedLength(optionsLength);
  for (const part of parts) length += part.length === 0 ? 0 : placedLength(part.length);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const [i, part] of parts.entries()) {
    if (part.length > 0) at = placeBytes(bytes, at, pointerRequestTags.parts[i] as number, part);
  }
  at = placeHead(bytes, at, pointerRequestTags.options, optionsLength);
  if (ownerBytes !== undefined) placeBytes(bytes, at, writeOptionsTags.owner, ownerBytes);
  return bytes;
}
