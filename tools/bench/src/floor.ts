// What the RPC library and Node can do when there is nothing behind them: the least that a remote call can take.
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { create, createFileRegistry, type DescMethodServerStreaming, type DescMethodUnary } from '@bufbuild/protobuf';
import {
  type BytesValue,
  BytesValueSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';
import { createConnectRouter, type Transport } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';

const bytesValue = '.google.protobuf.BytesValue';
const file = create(FileDescriptorProtoSchema, {
  name: 'floor.proto',
  package: 'bench',
  syntax: 'proto3',
  dependency: ['google/protobuf/wrappers.proto'],
  service: [
    {
      name: 'Floor',
      method: [
        { name: 'Echo', inputType: bytesValue, outputType: bytesValue },
        { name: 'Stream', inputType: bytesValue, outputType: bytesValue, serverStreaming: true },
      ],
    },
  ],
});
const registry = createFileRegistry(
  create(FileDescriptorSetSchema, { file: [file_google_protobuf_wrappers.proto, file] }),
);
const service = registry.getService('bench.Floor');
if (service === undefined) throw new Error('there is no service');
const echo = service.method.echo as DescMethodUnary;
const stream = service.method.stream as DescMethodServerStreaming;

/** A request for messages: how many, and how many bytes in each. */
function messagesAsked({ value }: BytesValue): BytesValue[] {
  const { count, bytes } = JSON.parse(Buffer.from(value).toString()) as { count: number; bytes: number };
  const message = create(BytesValueSchema, { value: new Uint8Array(bytes) });
  return new Array<BytesValue>(count).fill(message);
}

/** Serves the echo and the stream of the RPC library. Resolves with the port. */
export async function serveLibrary(): Promise<number> {
  const router = createConnectRouter();
  router.service(service as never, {
    echo: (message: BytesValue) => message,
    async *stream(message: BytesValue) {
      yield* messagesAsked(message);
    },
  });
  const routes = (to: typeof router) => {
    for (const handler of router.handlers) to.handlers.push(handler);
  };
  return listening(http2.createServer({ settings }, connectNodeAdapter({ routes })));
}

const settings = { maxConcurrentStreams: 100_000 };

/** Serves an echo of bytes, in gRPC's headers and trailers, on HTTP/2 alone. Resolves with the port. */
export function serveHttp2(): Promise<number> {
  const server = http2.createServer({ settings });
  server.on('stream', (stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.concat(chunks));
    });
  });
  return listening(server);
}

async function listening(server: http2.Http2Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Calls the echo of the library. */
export async function libraryEcho(transport: Transport, bytes: Uint8Array): Promise<void> {
  await transport.unary(echo, undefined, undefined, undefined, create(BytesValueSchema, { value: bytes }));
}

/** Takes so many messages from the library's stream. */
export async function libraryStream(transport: Transport, count: number, bytes: number): Promise<void> {
  const request = create(BytesValueSchema, { value: Buffer.from(JSON.stringify({ count, bytes })) });
  const input = (async function* () {
    yield request;
  })();
  const { message } = await transport.stream(stream, undefined, undefined, undefined, input);
  let seen = 0;
  for await (const _each of message) seen++;
  if (seen !== count) throw new Error(`${seen} of ${count} messages came`);
}

/** Calls the echo of HTTP/2 alone. */
export function http2Echo(session: http2.ClientHttp2Session, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/bench.Floor/Echo',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('data', () => {});
    stream.on('trailers', () => {});
    stream.on('end', resolve);
    stream.on('error', reject);
    stream.end(bytes);
  });
}
