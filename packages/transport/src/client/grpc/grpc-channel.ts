import { type ClientHttp2Stream, constants } from 'node:http2';
import { wire } from '@cosi-ts/proto';
import { enveloped } from '../../envelope.js';
import type { CallInit } from '../calls.js';
import type { StateChannel, StreamRpc, UnaryRpc } from '../channel.js';
import type { Connections } from '../node/connections.js';
import { markUnsent } from '../unsent.js';
import { brokenBy, canceled } from './answer-frame.js';
import { StreamedAnswer } from './streamed-answer.js';
import { unaryAnswer } from './unary-answer.js';

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
    const stream = this.#open(rpc, init);
    return this.#unaryOn(stream instanceof Promise ? await stream : stream, request, init.signal);
  }

  #unaryOn(stream: ClientHttp2Stream, request: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const answer = unaryAnswer(stream, this.#maxMessageBytes, signal);
    stream.end(enveloped(request));
    return answer;
  }

  async *stream(rpc: StreamRpc, request: Uint8Array, init: CallInit): AsyncGenerator<readonly Uint8Array[], void> {
    const { signal } = init;
    const stream = await this.#open(rpc, init);
    const answer = new StreamedAnswer(stream, this.#maxMessageBytes);
    const onAbort = () => answer.cancel();
    signal?.addEventListener('abort', onAbort);
    stream.end(enveloped(request));
    try {
      for (let some = await answer.next(); some !== undefined; some = await answer.next()) yield some;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      answer.cancel();
    }
  }

  /** Throws, or rejects with, a status. */
  #open(rpc: UnaryRpc | StreamRpc, { headers, signal }: CallInit): ClientHttp2Stream | Promise<ClientHttp2Stream> {
    if (signal?.aborted === true) throw canceled();
    try {
      const opened = this.#connections.next().open(paths[rpc], { ...fixedHeaders, ...headers });
      return opened instanceof Promise ? openedUnlessAborted(opened, signal) : opened;
    } catch (error) {
      throw markUnsent(brokenBy(error));
    }
  }
}

const fixedHeaders = Object.freeze({ 'content-type': 'application/grpc+proto', te: 'trailers' });

const paths = Object.fromEntries(
  wire.State.methods.map(({ localName, name }) => [localName, `/${wire.State.typeName}/${name}`]),
) as Readonly<Record<UnaryRpc | StreamRpc, string>>;

/** Waits for no connection any longer when the signal aborts. */
function openedUnlessAborted(
  opening: Promise<ClientHttp2Stream>,
  signal: AbortSignal | undefined,
): Promise<ClientHttp2Stream> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(canceled());
    signal?.addEventListener('abort', onAbort);
    const settle = () => signal?.removeEventListener('abort', onAbort);
    opening.then(
      (stream) => {
        settle();
        if (signal?.aborted === true) stream.close(constants.NGHTTP2_CANCEL);
        else resolve(stream);
      },
      (error: unknown) => {
        settle();
        reject(markUnsent(brokenBy(error)));
      },
    );
  });
}
