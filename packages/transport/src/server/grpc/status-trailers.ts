import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ConnectError } from '@connectrpc/connect';

/** The trailers of a call that did what it was asked to. */
export const okTrailers: Readonly<Record<string, string>> = Object.freeze({ 'grpc-status': '0' });

/** The trailers that tell a status: its code, its text, and both again with the details where there are any. */
export function statusTrailers(status: ConnectError): Record<string, string> {
  const { code, rawMessage, details } = status;
  const trailers: Record<string, string> = {
    'grpc-status': String(code),
    'grpc-message': encodeURIComponent(rawMessage),
  };
  if (details.length > 0) {
    const bytes = Buffer.from(statusMessage(status));
    // Without padding, as gRPC wants headers of bytes.
    trailers['grpc-status-details-bin'] = bytes.toString('base64').replace(/=+$/, '');
  }
  return trailers;
}

/** `google.rpc.Status`: 1 code, 2 message, 3 details, each a `google.protobuf.Any`. */
function statusMessage({ code, rawMessage, details }: ConnectError): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(code).tag(2, WireType.LengthDelimited).string(rawMessage);
  for (const detail of details) {
    const { type, value } = 'desc' in detail ? encoded(detail.desc, detail.value) : detail;
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(`type.googleapis.com/${type}`);
    writer.tag(2, WireType.LengthDelimited).bytes(value).join();
  }
  return writer.finish();
}

function encoded<Desc extends DescMessage>(schema: Desc, value: MessageInitShape<Desc>) {
  return { type: schema.typeName, value: toBinary(schema, create(schema, value)) };
}
