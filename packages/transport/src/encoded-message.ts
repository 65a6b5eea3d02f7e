import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';

/**
 * A message that the protobuf library writes as these bytes: it writes fields that it does not know by their tags, and
 * after that whatever bytes they are said to have. The first tag is that of a field below 16, and so a single byte.
 */
export function encodedMessage<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> {
  const message = create(schema);
  const [tag] = bytes;
  if (tag !== undefined) message.$unknown = [{ no: tag >>> 3, wireType: tag & 7, data: bytes.subarray(1) }];
  return message;
}
