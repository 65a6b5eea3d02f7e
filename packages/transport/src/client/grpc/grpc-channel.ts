import { type ClientHttp2Stream, constants } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { envelopeOf } from '../../envelope.js';
import type { CallInit } from '../calls.js';
import type { StateChannel, StreamRpc, UnaryRpc } from '../channel.js';
import type { Connections } from '../node/connections.js';
import { GrpcStream } from './grpc-stream.js';

const fixedHeaders = Object.freeze({ 'content-type': 'application/grpc+proto', te: 'trailers' });

/**
 * Calls over gRPC, on the streams of HTTP/2 themselves, which takes a fraction of what it takes to have the RPC library
 * between. Nothing is compressed: a peer that was not seen to know an encoding takes none, and to compress answers costs
 * more than it saves nearby.
 */
export class GrpcChannel implements StateChannel {
  readonly #connections: Connections;
  readonly #maxMessageBytes: number;

  constructor(connections: Connections, maxMessageBytes: number) {
    this.#connections = connections;
    this.#maxMessageBytes = maxMessageBytes;
  }

  async unary(rpc: UnaryRpc, request: Uint8Array, init: CallInit): Promise<Uint8Array> {
    const { answer, end } = await this.#call(rpc, request, init);
    try {
      let message: Uint8Array | undefined;
      for (let some = await answer.next(); some !== undefined; some = await answer.next()) {
        if (message !== undefined || some.length > 1)
          throw new ConnectError('there is more than one answer', Code.Unimplemented);
        message = some[0];
      }
      if (message !== undefined) return message;
      throw new ConnectError('the answer has no message', answer.hasStatus ? Code.Unimplemented : Code.Unknown);
    } finally {
      end();
    }
  }

  async *stream(rpc: StreamRpc, request: Uint8Array, init: CallInit): AsyncGenerator<readonly Uint8Array[], void> {
    const { answer, end } = await this.#call(rpc, request, init);
    try {
      for (let some = await answer.next(); some !== undefined; some = await answer.next()) yield some;
    } finally {
      end();
    }
  }

  /** What `end` ends must be ended: the signal may live long. */
  async #call(
    rpc: UnaryRpc | StreamRpc,
    request: Uint8Array,
    { signal, headers }: CallInit,
  ): Promise<{ answer: GrpcStream; end: () => void }> {
    const stream = await this.#opened(rpc, headers, signal);
    const answer = new GrpcStream(stream, this.#maxMessageBytes);
    const onAbort = () => answer.cancel();
    signal.addEventListener('abort', onAbort);
    stream.end(envelopeOf([request]));
    const end = () => {
      signal.removeEventListener('abort', onAbort);
      answer.cancel();
    };
    return { answer, end };
  }

  /** Waits for no connection any longer when the signal aborts. */
  #opened(rpc: UnaryRpc | StreamRpc, headers: Record<string, string>, signal: AbortSignal): Promise<ClientHttp2Stream> {
    const path = `/${wire.State.typeName}/${wire.State.method[rpc].name}`;
    const opening = this.#connections.next().request('POST', path, { ...fixedHeaders, ...headers }, {});
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(new ConnectError('the call was canceled', Code.Canceled));
      const settle = () => signal.removeEventListener('abort', onAbort);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      opening.then(
        (stream) => {
          settle();
          if (signal.aborted) stream.close(constants.NGHTTP2_CANCEL);
          else resolve(stream);
        },
        (error: unknown) => {
          settle();
          reject(unopened(error));
        },
      );
    });
  }
}

function unopened(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new ConnectError(text, Code.Unavailable, undefined, undefined, error);
}
