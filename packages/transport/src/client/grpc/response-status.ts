import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Code, ConnectError } from '@connectrpc/connect';
import { headersOf } from '../../incoming-headers.js';

export type ResponseHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** What the status of HTTP means where there is none of gRPC, by the table in gRPC's own documentation. */
const httpCodes: ReadonlyMap<number | undefined, Code> = new Map([
  [400, Code.Internal],
  [401, Code.Unauthenticated],
  [403, Code.PermissionDenied],
  [404, Code.Unimplemented],
  [429, Code.Unavailable],
  [502, Code.Unavailable],
  [503, Code.Unavailable],
  [504, Code.Unavailable],
]);

const contentType = /^application\/grpc(?:\+proto)?(?:;|$)/i;

/** What is wrong with an answer by its headers alone: it may not be one of gRPC at all. */
export function headersFault(headers: ResponseHeaders): ConnectError | undefined {
  const status = headers[':status'];
  if (status !== 200) {
    return new ConnectError(`HTTP ${status}`, httpCodes.get(status) ?? Code.Unknown, headersOf(headers));
  }
  const type = headers['content-type'] ?? '';
  if (!contentType.test(type)) return new ConnectError(`the answer has the content type ${type}`, Code.Unknown);
  const encoding = headers['grpc-encoding'];
  if (encoding === undefined || encoding === 'identity') return undefined;
  return new ConnectError(`the answer has the encoding ${String(encoding)}`, Code.Internal, headersOf(headers));
}

/**
 * The status that an answer ended with, undefined when all is well. It comes in the trailers, or in the headers of an
 * answer that has nothing else. One without any has ended in the middle.
 */
export function responseStatus(
  headers: ResponseHeaders,
  trailers: IncomingHttpHeaders | undefined,
): ConnectError | undefined {
  const from = trailers?.['grpc-status'] === undefined ? headers : trailers;
  const text = from['grpc-status'];
  if (text === '0') return undefined;
  if (text === undefined) return new ConnectError('the answer has no status', Code.Internal);
  const metadata = headersOf(trailers, headers);
  const details = from['grpc-status-details-bin'];
  if (typeof details === 'string') {
    const status = detailedStatus(details, metadata);
    if (status !== undefined) return status;
  }
  const code = Number(text);
  if (!(code in Code)) return new ConnectError(`the answer has the status ${String(text)}`, Code.Internal, metadata);
  return new ConnectError(percentDecoded(String(from['grpc-message'] ?? '')), code, metadata);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It was not encoded as it should be, and says more as it is than nothing.
    return text;
  }
}

/** Reads `google.rpc.Status`. Undefined when it is none, or says that all is well: the other headers count then. */
function detailedStatus(base64: string, metadata: Headers): ConnectError | undefined {
  let code = 0;
  let message = '';
  const details: { type: string; value: Uint8Array }[] = [];
  try {
    const reader = new BinaryReader(new Uint8Array(Buffer.from(base64, 'base64')));
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field === 1) code = reader.int32();
      else if (field === 2) message = reader.string();
      else if (field === 3) details.push(detail(reader.bytes()));
      else reader.skip(wireType, field);
    }
  } catch {
    return undefined;
  }
  if (!(code in Code)) return undefined;
  const status = new ConnectError(message, code, metadata);
  status.details = details;
  return status;
}

/** Reads `google.protobuf.Any`. */
function detail(bytes: Uint8Array): { type: string; value: Uint8Array } {
  let type = '';
  let value = new Uint8Array(0);
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) type = reader.string();
    else if (field === 2) value = new Uint8Array(reader.bytes());
    else reader.skip(wireType, field);
  }
  return { type: type.slice(type.lastIndexOf('/') + 1), value };
}
