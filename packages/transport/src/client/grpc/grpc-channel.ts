import type { OutgoingHttpHeaders } from 'node:http2';
import { wire } from '@cosi-ts/proto';
import { enveloped } from '../../envelope.js';
import type { CallInit } from '../calls.js';
import type { StateChannel, StreamRpc, UnaryRpc } from '../channel.js';
import { brokenBy, type CallStream } from '../node/call-stream.js';
import type { Connections } from '../node/connections.js';
import { markUnsent } from '../unsent.js';
import { canceled } from './answer-end.js';
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
  /** Those that all requests of a call have. */
  readonly #headers: Readonly<Record<UnaryRpc | StreamRpc, OutgoingHttpHeaders>>;

  /** @param authority of the server, with brackets around an IPv6 host: Node would leave them out */
  constructor(connections: Connections, authority: string, maxMessageBytes: number) {
    this.#connections = connections;
    this.#maxMessageBytes = maxMessageBytes;
    this.#headers = requestHeaders(authority);
  }

  async unary(rpc: UnaryRpc, request: Uint8Array, init: CallInit): Promise<Uint8Array> {
    const stream = this.#open(rpc, init);
    return this.#unaryOn(stream instanceof Promise ? await stream : stream, request, init.signal);
  }

  #unaryOn(call: CallStream, request: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const answer = unaryAnswer(call, this.#maxMessageBytes, signal);
    call.http2.end(enveloped(request));
    return answer;
  }

  async *stream(rpc: StreamRpc, request: Uint8Array, init: CallInit): AsyncGenerator<readonly Uint8Array[], void> {
    const { signal } = init;
    const call = await this.#open(rpc, init);
    const answer = new StreamedAnswer(call, this.#maxMessageBytes);
    const onAbort = () => answer.cancel();
    signal?.addEventListener('abort', onAbort);
    call.http2.end(enveloped(request));
    try {
      for (let some = await answer.next(); some !== undefined; some = await answer.next()) yield some;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      answer.cancel();
    }
  }

  /** Throws, or rejects with, a status. */
  #open(rpc: UnaryRpc | StreamRpc, { headers, signal }: CallInit): CallStream | Promise<CallStream> {
    if (signal?.aborted === true) throw canceled();
    try {
      const all = headers === undefined ? this.#headers[rpc] : { ...this.#headers[rpc], ...headers };
      const opened = this.#connections.next().open(all);
      return opened instanceof Promise ? openedUnlessAborted(opened, signal) : opened;
    } catch (error) {
      throw markUnsent(brokenBy(error));
    }
  }
}

function requestHeaders(authority: string): Readonly<Record<UnaryRpc | StreamRpc, OutgoingHttpHeaders>> {
  const headersOf = (name: string): OutgoingHttpHeaders => ({
    ':method': 'POST',
    ':authority': authority,
    ':path': `/${wire.State.typeName}/${name}`,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
  });
  const all = wire.State.methods.map(({ localName, name }) => [localName, headersOf(name)] as const);
  return Object.fromEntries(all) as Record<UnaryRpc | StreamRpc, OutgoingHttpHeaders>;
}

/** Waits for no connection any longer when the signal aborts. */
function openedUnlessAborted(opening: Promise<CallStream>, signal: AbortSignal | undefined): Promise<CallStream> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(canceled());
    signal?.addEventListener('abort', onAbort);
    const settle = () => signal?.removeEventListener('abort', onAbort);
    opening.then(
      (call) => {
        settle();
        if (signal?.aborted === true) call.cancel();
        else resolve(call);
      },
      (error: unknown) => {
        settle();
        reject(markUnsent(brokenBy(error)));
      },
    );
  });
}
