import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import type { Clock } from '@cosi-ts/state';
import { enveloped } from '../../envelope.js';
import { headersOf } from '../../incoming-headers.js';
import type { Logger } from '../../logger.js';
import type { Admission } from '../admission.js';
import type { CallInfo } from '../call-info.js';
import { type CallObserver, CallRecord, observeCall } from '../call-record.js';
import { type Connection, connectionOf } from '../connection.js';
import { grpcTimeoutMs, scheduleDeadline } from '../deadline.js';
import type { StateOperations, StreamKind, UnaryKind } from '../operations.js';
import type { Service } from '../service.js';
import { statusOf } from '../status.js';
import { Answer } from './answer.js';
import { dropRest } from './drop-rest.js';
import { requestMessage } from './request-message.js';
import { okTrailers, statusTrailers } from './status-trailers.js';

export interface GrpcCallsOptions {
  readonly admission: Admission;
  readonly observers: readonly CallObserver[];
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Kind = { readonly unary: UnaryKind<never> } | { readonly stream: StreamKind<never> };

/** A call that has begun. */
interface Arrival {
  readonly kind: Kind;
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly connection: Connection;
  readonly record: CallRecord;
  /** Resolves when it has been answered, or cannot be any more. */
  readonly done: Promise<void>;
}

/**
 * Answers ordinary gRPC calls of the state's service from the streams of HTTP/2 themselves, which takes a fraction of
 * what it takes to have the RPC library between. Those that are anything out of the ordinary (compressed, as JSON, from
 * a page in a browser, malformed) are left to the library, and get the same answers from it.
 */
export class GrpcCalls {
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #service: Service;
  readonly #options: GrpcCallsOptions;
  readonly #active = new Set<Promise<void>>();

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
    const done = new Promise<void>((resolve) => stream.once('close', resolve));
    this.#active.add(done);
    void done.then(() => this.#active.delete(done));
    // A write that fails is followed by the close of the stream, which is noticed.
    stream.on('error', () => {});
    const connection = connectionOf({ socket: stream.session?.socket });
    const record = new CallRecord(path.slice(1), connection.peer, clock.monotonicMs());
    observeCall(record, observers, clock, done);
    this.#answer({ kind, stream, headers, connection, record, done })
      .catch((error: unknown) => {
        logger.error({ err: error, path }, 'a request failed outside of its handler');
        stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      })
      .finally(() => dropRest(stream, clock));
    return true;
  };

  /** Resolves when the calls that are being answered now have been. */
  async idle(): Promise<void> {
    await Promise.all(this.#active);
  }

  async #answer(arrival: Arrival): Promise<void> {
    const { stream, headers, record } = arrival;
    const controller = new AbortController();
    const onClose = () => controller.abort(new ConnectError('the caller has gone', Code.Canceled));
    stream.once('close', onClose);
    const deadlineMs = grpcTimeoutMs(headers['grpc-timeout'] as string | undefined);
    const abort = (reason: unknown) => controller.abort(reason);
    const cancel = deadlineMs === undefined ? undefined : scheduleDeadline(this.#options.clock, deadlineMs, abort);
    const answer = new Answer(stream);
    try {
      const last = await this.#run(arrival, answer, controller.signal, abort);
      answer.end(okTrailers, last);
    } catch (error) {
      const status = statusOf(error, 'get');
      record.failed(status.code);
      answer.end(statusTrailers(status));
    } finally {
      stream.off('close', onClose);
      cancel?.();
    }
  }

  /** Writes all that the answer holds but what it gives back. Rejects with a status. */
  async #run(
    arrival: Arrival,
    answer: Answer,
    signal: AbortSignal,
    abort: (reason: unknown) => void,
  ): Promise<Uint8Array | undefined> {
    const { kind, stream, connection, record } = arrival;
    const info = await this.#admitted(arrival, signal);
    const countReceived = (bytes: number) => {
      record.bytesReceived += bytes;
    };
    const request = await requestMessage(stream, this.#options.maxMessageBytes, countReceived, signal);
    if ('unary' in kind) {
      const read = () => kind.unary.fromBytes(request);
      const message = await this.#service.unary({ rpc: kind.unary.rpc, read, info, signal, abort });
      const envelope = enveloped(message);
      record.sent(envelope.length);
      return envelope;
    }
    const read = () => kind.stream.fromBytes(request);
    for await (const { bytes } of this.#service.stream({ rpc: kind.stream.rpc, read, info, signal, abort })) {
      record.sent(bytes.length);
      if (answer.write(bytes)) continue;
      // What comes next is asked for when this has been taken: no more than that waits in a stream.
      const release = connection.unsent.hold(bytes.length);
      await answer.sent();
      release();
      if (answer.isOver) break;
    }
    return undefined;
  }

  async #admitted({ headers, connection, record, done }: Arrival, signal: AbortSignal): Promise<CallInfo> {
    const { admission } = this.#options;
    const call = {
      rpc: record.rpc,
      connection,
      signal,
      /** For authenticators, which are not to be concerned with what carries the call. */
      get headers() {
        return headersOf(headers);
      },
    };
    record.identity = await admission.admit(call);
    const { identity, peer } = record;
    const context = identity === undefined ? { peer } : { peer, identity };
    return { context, answered: done, record, unsent: connection.unsent };
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
