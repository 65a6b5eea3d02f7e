import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import { wire } from '@cosi-ts/proto';
import type { Clock } from '@cosi-ts/state';
import { Bag } from '../../bag.js';
import { headersOf } from '../../incoming-headers.js';
import type { Logger } from '../../logger.js';
import type { Admission } from '../admission.js';
import type { CallInfo } from '../call-info.js';
import { type CallObserver, CallRecord, observeCall } from '../call-record.js';
import { connectionOfStream } from '../connection.js';
import { grpcTimeoutMs } from '../deadline.js';
import type { StateOperations, StreamKind, UnaryKind } from '../operations.js';
import type { Service } from '../service.js';
import { statusOf } from '../status.js';
import { Answer } from './answer.js';
import { dropRest } from './drop-rest.js';
import { OpenCall } from './open-call.js';
import { okTrailers, statusTrailers } from './status-trailers.js';

export interface GrpcCallsOptions {
  readonly admission: Admission;
  readonly observers: readonly CallObserver[];
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Kind = { readonly unary: UnaryKind<never> } | { readonly stream: StreamKind<never> };

/**
 * Answers ordinary gRPC calls of the state's service from the streams of HTTP/2 themselves, which takes a fraction of
 * what it takes to have the RPC library between. Those that are anything out of the ordinary (compressed, as JSON, from
 * a page in a browser, malformed) are left to the library, and get the same answers from it.
 */
export class GrpcCalls {
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #service: Service;
  readonly #options: GrpcCallsOptions;
  readonly #open = new Bag<OpenCall>();

  constructor(operations: StateOperations, service: Service, options: GrpcCallsOptions) {
    this.#kinds = kindsByPath(operations);
    this.#service = service;
    this.#options = options;
  }

  /** Answers the call; false when it is not one of those that are answered here. */
  readonly take = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean => {
    const path = headers[':path'] ?? '';
    const kind = this.#kinds.get(path);
    if (kind === undefined || !isOrdinary(headers)) return false;
    const { clock, logger, observers } = this.#options;
    const connection = connectionOfStream(stream);
    const record = new CallRecord(path.slice(1), connection.peer, clock.monotonicMs());
    const ended = observeCall(record, observers, clock);
    const call = new OpenCall(stream, headers, connection, record, clock, () => {
      this.#open.remove(held);
      ended();
    });
    const held = this.#open.add(call);
    this.#answer(kind, call).catch((error: unknown) => {
      logger.error({ err: error, path }, 'a request failed outside of its handler');
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
    return true;
  };

  /** Resolves when the calls that are being answered now have been. */
  async idle(): Promise<void> {
    await Promise.all(this.#open.items().map(({ closed }) => closed));
  }

  async #answer(kind: Kind, call: OpenCall): Promise<void> {
    const { stream, record } = call;
    const answer = new Answer(stream);
    try {
      const info = await this.#admitted(call);
      const request = await call.request(this.#options.maxMessageBytes);
      if ('unary' in kind) answer.end(okTrailers, await this.#unary(kind.unary, request, call, info));
      else {
        await this.#stream(kind.stream, request, call, info, answer);
        answer.end(okTrailers);
      }
    } catch (error) {
      const status = statusOf(error, 'get');
      record.failed(status.code);
      answer.end(statusTrailers(status));
    } finally {
      call.answered();
      dropRest(stream, this.#options.clock);
    }
  }

  /** The one message, in its envelope. Rejects with a status. */
  async #unary(kind: UnaryKind<never>, request: Uint8Array, call: OpenCall, info: CallInfo): Promise<Uint8Array> {
    const { signal, abort, record } = call;
    const read = () => kind.fromBytes(request);
    const envelope = await this.#service.unary({ rpc: kind.rpc, read, info, signal, abort });
    record.sent(envelope.length);
    return envelope;
  }

  /** Writes the messages. Rejects with a status. */
  async #stream(
    kind: StreamKind<never>,
    request: Uint8Array,
    { signal, abort, record, connection }: OpenCall,
    info: CallInfo,
    answer: Answer,
  ): Promise<void> {
    const read = () => kind.fromBytes(request);
    for await (const { bytes } of this.#service.stream({ rpc: kind.rpc, read, info, signal, abort })) {
      record.sent(bytes.length);
      if (answer.write(bytes)) continue;
      // What comes next is asked for when this has been taken: no more than that waits in a stream.
      const release = connection.unsent.hold(bytes.length);
      await answer.sent();
      release();
      if (answer.isOver) break;
    }
  }

  #admitted({ headers, connection, record, closed, signal }: OpenCall): CallInfo | Promise<CallInfo> {
    const { peer, unsent } = connection;
    const identified = this.#options.admission.admit({
      rpc: record.rpc,
      connection,
      signal,
      /** For authenticators, which are not to be concerned with what carries the call. */
      get headers() {
        return headersOf(headers);
      },
    });
    if (identified === undefined) return { context: { peer }, answered: closed, record, unsent };
    return identified.then((identity) => {
      record.identity = identity;
      return { context: { peer, identity }, answered: closed, record, unsent };
    });
  }
}

function kindsByPath(operations: StateOperations): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  for (const method of wire.State.methods) {
    const operation = operations[method.localName as keyof StateOperations];
    const kind = method.methodKind === 'unary' ? { unary: operation } : { stream: operation };
    kinds.set(`/${wire.State.typeName}/${method.name}`, kind as Kind);
  }
  return kinds;
}

const contentTypes: ReadonlySet<string | undefined> = new Set(['application/grpc', 'application/grpc+proto']);

function isOrdinary(headers: IncomingHttpHeaders): boolean {
  return (
    headers[':method'] === 'POST' &&
    headers[':authority'] !== undefined &&
    contentTypes.has(headers['content-type']) &&
    (headers['grpc-encoding'] === undefined || headers['grpc-encoding'] === 'identity') &&
    (headers['grpc-timeout'] === undefined || grpcTimeoutMs(String(headers['grpc-timeout'])) !== undefined) &&
    headers.origin === undefined &&
    headers.expect === undefined
  );
}
